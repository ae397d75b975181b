#pragma once
/// The entry of the neighbour table has its own header, so that kernels see no library headers.

#include <cstdint>

namespace onehop {

/// A lane_neighbour is the neighbour of a vector in one of 8 directions: 0..3 forward x..t, 4..7
/// backward.
struct lane_neighbour {
  std::int32_t vector = 0;   ///< vector of the other parity; wrapped around at a surface
  std::int32_t face = -1;    ///< entry of the ghost face, -1 if no lane comes from another rank
  std::int32_t rotated = 0;  ///< 1 if lanes must be rearranged: the surface of a split direction
};

}  // namespace onehop
