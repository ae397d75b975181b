#pragma once
/// This search finds the grid of ranks with the smallest faces.

#include <onehop/cartesian.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace onehop {

/// Returns the number of sites of the largest block, and of all faces that it sends.
inline std::pair<double, double> block_and_faces(const coordinate& extents,
                                                 const coordinate& grid) {
  double block = 1, faces = 0;
  coordinate local{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    local[mu] = (extents[mu] + grid[mu] - 1) / grid[mu];
    block *= local[mu];
  }
  for (std::size_t mu = 0; mu < 4; ++mu)
    if (grid[mu] > 1) faces += 2 * block / local[mu];
  return {block, faces};
}

/// Calls `visit` for each way to split `ranks` over the directions mu to 3, with at most as many
/// ranks as sites in each direction.
template <class Visit>
void for_each_grid(const coordinate& extents, int ranks, std::size_t mu, coordinate& grid,
                   const Visit& visit) {
  if (mu == 3) {
    grid[3] = ranks;
    if (ranks <= extents[3]) visit(grid);
    return;
  }
  for (int n = 1; n <= std::min(ranks, extents[mu]); ++n) {
    if (ranks % n != 0) continue;
    grid[mu] = n;
    for_each_grid(extents, ranks / n, mu + 1, grid, visit);
  }
}

/// Returns the grid with the smallest largest block among those that `accepts` takes, and among
/// equals the one with the smallest faces. Remaining ties are resolved in favour of t, then z, y,
/// x.
template <class Accepts>
std::optional<coordinate> best_grid(const coordinate& extents, int ranks, const Accepts& accepts) {
  std::optional<coordinate> best;
  coordinate grid{};
  for_each_grid(extents, ranks, 0, grid, [&](const coordinate& candidate) {
    if (!accepts(candidate)) return;
    if (best) {
      const auto mine = block_and_faces(extents, candidate);
      const auto theirs = block_and_faces(extents, *best);
      const bool later = std::lexicographical_compare(best->rbegin(), best->rend(),
                                                      candidate.rbegin(), candidate.rend());
      if (mine > theirs || (mine == theirs && !later)) return;
    }
    best = candidate;
  });
  return best;
}

}  // namespace onehop
