#include "dirac/vector_order.hpp"

#include <algorithm>
#include <numeric>

namespace onehop {

vector_order::vector_order(const lane_layout& layout, int parity, const std::array<int, 3>& pieces)
    : all_(layout.vectors(parity)) {
  std::iota(all_.begin(), all_.end(), 0);
  if (!all_.empty() && pieces != std::array{1, 1, 1}) sort(layout, parity, pieces);
  make_groups(layout, parity);
}

void vector_order::sort(const lane_layout& layout, int parity, const std::array<int, 3>& pieces) {
  const coordinate extents = layout.sub_block();
  const auto piece = [&](std::int32_t vector) {
    const coordinate& x = layout.first_site(parity, vector);
    std::array<int, 3> place{};
    // The last coordinate varies slowest: t before z before y.
    for (int k = 0; k < 3; ++k) place[2 - k] = x[k + 1] * pieces[k] / extents[k + 1];
    return place;
  };
  std::ranges::stable_sort(all_, {}, piece);
}

void vector_order::make_groups(const lane_layout& layout, int parity) {
  // The ghost faces needed by a one-site hop are also needed by longer hops.
  const auto neighbours = layout.neighbours(parity, layout.reach());
  std::vector<unsigned> needs;
  std::vector<std::vector<std::int32_t>> lists;
  for (const std::int32_t vector : all_) {
    unsigned faces = 0;
    for (int d = 0; d < 8; ++d) {
      if (neighbours[static_cast<std::size_t>(vector) * 8 + d].face >= 0) faces |= 1U << d;
    }
    if (faces == 0) {
      interior_.push_back(vector);
      continue;
    }
    const auto found = std::ranges::find(needs, faces);
    if (found == needs.end()) {
      needs.push_back(faces);
      lists.push_back({vector});
    } else {
      lists[found - needs.begin()].push_back(vector);
    }
  }
  boundary_.reserve(all_.size() - interior_.size());
  for (std::size_t k = 0; k < needs.size(); ++k) {
    const auto begin = boundary_.insert(boundary_.end(), lists[k].begin(), lists[k].end());
    groups_.push_back({needs[k], {begin, lists[k].size()}});
  }
}

std::array<int, 3> fitting_pieces(const lane_layout& layout, std::size_t vector_bytes,
                                  std::size_t bytes, int threads) {
  coordinate extents = layout.sub_block();
  std::array<int, 3> pieces{1, 1, 1};
  const auto cut = [&](int mu) {
    extents[mu] /= 2;
    pieces[mu - 1] *= 2;
  };
  const auto slices = static_cast<std::size_t>(2 * layout.reach() + 1);
  const auto fit = [&] {
    return slices * extents[0] * extents[1] * extents[2] / 2 * vector_bytes <= bytes;
  };
  while ((!fit() || pieces[1] < threads) && extents[2] > 3) cut(2);
  while (!fit() && extents[1] > 3) cut(1);
  return pieces;
}

}  // namespace onehop
