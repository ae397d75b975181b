#include "links.hpp"

#include <algorithm>

namespace lattice_boltzmann {

bool leaves(const link& each, const std::array<bool, 3>& wraps) {
  const auto e = velocity(each.direction);
  for (std::size_t mu = 0; mu < 3; ++mu)
    if (each.steps[mu] != 0 && (wraps[mu] || each.steps[mu] != e[mu])) return false;
  return true;
}

/// If an extent is wrapped, all of its cells are reached, some of them from ghosts.
box cells_after(const block& where, const link& each, const std::array<bool, 3>& wraps) {
  const auto e = velocity(each.direction);
  box found{};
  for (std::size_t mu = 0; mu < 3; ++mu) {
    const int extent = where.extent(mu);
    if (each.steps[mu] != 0) {
      found.first[mu] = each.steps[mu] > 0 ? 0 : extent - 1;
      found.count[mu] = 1;
    } else {
      found.first[mu] = wraps[mu] ? 0 : std::max(0, e[mu]);
      found.count[mu] = wraps[mu] ? extent : extent - std::abs(e[mu]);
    }
  }
  return found;
}

box cells_before(const block& where, const link& each, const std::array<bool, 3>& wraps) {
  box found = moved(cells_after(where, each, wraps), each.direction, -1);
  for (std::size_t mu = 0; mu < 3; ++mu)
    if (each.steps[mu] != 0) found.first[mu] = each.steps[mu] > 0 ? where.extent(mu) - 1 : 0;
  return found;
}

box moved(box cells, std::size_t direction, int times) {
  const auto e = velocity(direction);
  for (std::size_t mu = 0; mu < 3; ++mu) cells.first[mu] += times * e[mu];
  return cells;
}

}  // namespace lattice_boltzmann
