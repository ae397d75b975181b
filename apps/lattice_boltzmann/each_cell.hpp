#pragma once
/// This is the order in which sums and fields take the cells of a block.

#include "block.hpp"

namespace lattice_boltzmann {

/// Calls work(x, y, z, cell) for each cell of the block, x fastest; `cell` is its position in the
/// whole lattice.
template <class Work>
void for_cells(const block& where, const Work& work) {
  const auto& origin = where.ranks().origin();
  for (int z = 0; z < where.extent(2); ++z)
    for (int y = 0; y < where.extent(1); ++y)
      for (int x = 0; x < where.extent(0); ++x)
        work(x, y, z, onehop::coordinate{origin[0] + x, origin[1] + y, origin[2] + z, 0});
}

}  // namespace lattice_boltzmann
