#pragma once
/// Parts say in which order the cells of a block are worked on.

#include "block.hpp"

#include <vector>

namespace lattice_boltzmann {

/// A part is the cells x0 .. x1 - 1 of rows y0 .. y1 - 1 of a plane.
struct part {
  int z, y0, y1, x0, x1;

  std::size_t cells() const noexcept { return static_cast<std::size_t>(y1 - y0) * (x1 - x0); }
};

/// Cells at faces to other ranks are apart from those inside, since those ranks wait for them.
/// Where a block is so thin that a plane or row is both its first and its last, it is there once.
/// Faces across x are a cache line wide, so that rows inside begin with one.
struct block_parts {
  std::vector<part> faces, inside;

  block_parts(const block& where, std::size_t cell_bytes);
};

}  // namespace lattice_boltzmann
