#pragma once
/// Fields from one storage and number of lanes to another.

#include "lattice/lane_field.hpp"

namespace onehop {

/// The vectors `begin` to `end` of `from`, for threads that share a conversion: convert() for some
/// of the sites.
void convert_part(const lane_layout& from_layout, const lane_field& from,
                  const lane_layout& to_layout, lane_field& to, std::size_t begin, std::size_t end);

}  // namespace onehop
