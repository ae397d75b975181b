#include "transport/base/chain_plan.hpp"

#include <algorithm>
#include <map>

namespace onehop {
namespace {

/// A pair_of_ranks holds the puts to one other rank and the arrivals from it, as indices in the
/// plan.
struct pair_of_ranks {
  std::vector<std::size_t> puts, arrivals;
  bool needs_credit = false;
};

}  // namespace

// Both ranks see the same sizes, so both find the same pairs.
std::vector<std::optional<std::size_t>> turns_of(const chain_plan& plan, int rank) {
  std::vector<std::optional<std::size_t>> turns(plan.puts.size());
  if (!plan.in_turns) return turns;
  std::map<int, pair_of_ranks> pairs;
  for (std::size_t i = 0; i < plan.puts.size(); ++i) {
    pair_of_ranks& pair = pairs[plan.puts[i].target];
    pair.puts.push_back(i);
    pair.needs_credit |= plan.puts[i].needs_credit;
  }
  for (std::size_t i = 0; i < plan.arrivals.size(); ++i)
    pairs[plan.arrivals[i].origin].arrivals.push_back(i);
  for (const auto& [peer, pair] : pairs) {
    const bool alike =
        std::ranges::equal(pair.puts, pair.arrivals, [&](std::size_t put, std::size_t arrival) {
          return plan.puts[put].source.bytes() == plan.arrivals[arrival].bytes;
        });
    if (peer == rank || pair.needs_credit || !alike) continue;
    for (std::size_t k = 0; k < pair.puts.size(); ++k) turns[pair.puts[k]] = pair.arrivals[k];
  }
  return turns;
}

}  // namespace onehop
