#pragma once
/// This gathers lists of different lengths from all ranks on all ranks.

#include <algorithm>
#include <cstdint>
#include <onehop/collectives.hpp>
#include <vector>

#include "rma/rounds.hpp"

namespace onehop {

/// Returns the lists of all ranks, by rank. Collective.
template <class T>
std::vector<std::vector<T>> gather_lists(const context& ctx, const std::vector<T>& mine) {
  const auto lengths = allgather<std::uint64_t>(ctx, mine.size());
  const std::uint64_t longest = *std::ranges::max_element(lengths);
  std::vector<T> padded(mine);
  padded.resize(longest);
  std::vector<T> all(longest * lengths.size());
  rounds::allgather(ctx, std::as_bytes(std::span(padded)), std::as_writable_bytes(std::span(all)));
  std::vector<std::vector<T>> lists;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(rank * longest);
    lists.emplace_back(first, first + static_cast<std::ptrdiff_t>(lengths[rank]));
  }
  return lists;
}

}  // namespace onehop
