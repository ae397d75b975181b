#pragma once
/// This file compares a header's statements about its links with the links.

#include <onehop/gauge_field.hpp>

#include "io/gauge_reader.hpp"

namespace onehop {

/// Throws file_error if plaquette or link trace, means of Re tr / 3, differ from the header, within
/// the header's digits and the precision of the links.
void compare_stated_means(const io::gauge_reader& reader, double plaquette, double link_trace);

gauge_file_info info_of(const io::gauge_layout& layout);

}  // namespace onehop
