#pragma once
/// Links say which cells of a block stream across its boundary, and to which cells.

#include "block.hpp"
#include "d3q19.hpp"

#include <array>

namespace lattice_boltzmann {

/// A link is the populations of one direction that leave a block by certain steps: across a face or
/// across an edge, or, at a wall, not at all.
struct link {
  std::array<int, 3> steps;
  std::size_t direction;
};

/// A box has `count` cells from `first` on, which may be ghosts.
struct box {
  std::array<int, 3> first, count;
};

/// Returns true if populations of this direction go these steps for some cell of a block. If
/// `wraps` says that extents are wrapped, populations do not leave an extent that a rank has alone.
bool leaves(const link& each, const std::array<bool, 3>& wraps);

/// Returns the cells of the block from which the populations come.
box cells_before(const block& where, const link& each, const std::array<bool, 3>& wraps);
/// Returns the cells that they stream to, in the coordinates of the block that has them. Across the
/// steps, that block has the same extents as `where`.
box cells_after(const block& where, const link& each, const std::array<bool, 3>& wraps);
/// Moves a box by a multiple of the direction's displacement.
box moved(box cells, std::size_t direction, int times);

}  // namespace lattice_boltzmann
