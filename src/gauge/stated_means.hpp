#pragma once
/// What a header states of its links is compared with them here.

#include <onehop/gauge_field.hpp>

#include "io/gauge_reader.hpp"

namespace onehop {

/// Throws file_error where plaquette or link trace, means of Re tr / 3, are not what the header
/// says, within the digits that it has and the precision of the links.
void compare_stated_means(const io::gauge_reader& reader, double plaquette, double link_trace);

gauge_file_info info_of(const io::gauge_layout& layout);

}  // namespace onehop
