#pragma once
/// Parts define the order in which the cells of a block are updated.

#include "block.hpp"

#include <vector>

namespace lattice_boltzmann {

/// A part is the cells x0 .. x1 - 1 of rows y0 .. y1 - 1 of a plane.
struct part {
  int z, y0, y1, x0, x1;

  std::size_t cells() const noexcept { return static_cast<std::size_t>(y1 - y0) * (x1 - x0); }
};

/// Cells at faces to other ranks are separate from inner cells, because those ranks wait for them.
/// If a block is so thin that a plane or row is both its first and its last, that plane or row
/// occurs once. Faces across x are a cache line wide, so that inner rows begin with a cache line.
struct block_parts {
  std::vector<part> faces, inside;

  block_parts(const block& where, std::size_t cell_bytes);
};

}  // namespace lattice_boltzmann
