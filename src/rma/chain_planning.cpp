#include "rma/chain_planning.hpp"

#include <algorithm>

#include "rma/chain_pairing.hpp"
#include "rma/window_state.hpp"

namespace onehop {
namespace {

/// The ranks to which and from which one rank's puts go, marked by rank.
struct partners {
  std::vector<bool> targets, origins;

  partners(const std::vector<chain_edge>& edges, int rank, std::size_t ranks)
      : targets(ranks), origins(ranks) {
    for (const chain_edge& put : edges) {
      if (put.origin == rank) targets[static_cast<std::size_t>(put.target)] = true;
      if (put.target == rank) origins[static_cast<std::size_t>(put.origin)] = true;
    }
  }

  /// Returns whether a put goes back where one of the rank's puts goes, or comes from.
  bool both_ways(int peer) const {
    const auto index = static_cast<std::size_t>(peer);
    return targets[index] && origins[index];
  }
};

}  // namespace

chain_description landing_of(const chain_description& chain) {
  constexpr std::size_t line = 64;
  chain_description landing = chain;
  landing.banks = 2;
  landing.window_bytes = {chain.window_bytes.size(), 0};
  for (auto& [rank, entries] : landing.ranks)
    for (chain_entry& entry : entries) {
      if (entry.what != chain_entry::kind::put) continue;
      std::size_t& used = landing.window_bytes.own(static_cast<std::size_t>(entry.peer));
      entry.offset = used;
      entry.remote = {};
      // A put that its device writes to the window itself needs room for its notification alone.
      used += entry.by_peer != 0 ? line : (entry.bytes + line - 1) / line * line;
    }
  return landing;
}

chain_plan plan_chain(const chain_description& chain, int rank,
                      const std::vector<local_view>& sources) {
  return plan_edges(pair_up(chain), chain.banks, chain.window_bytes, rank, sources);
}

chain_plan plan_edges(const std::vector<chain_edge>& edges, int banks,
                      const rank_table<std::size_t>& bank_bytes, int rank,
                      const std::vector<local_view>& sources) {
  chain_plan plan;
  plan.banks = banks;
  plan.sizes = std::make_shared<std::vector<std::size_t>>();
  for (const local_view& source : sources) plan.sizes->push_back(source.bytes());
  const auto stride_of = [&](int of) {
    return window::state::bank_stride(bank_bytes[static_cast<std::size_t>(of)]);
  };
  plan.own_stride = stride_of(rank);
  const partners peers(edges, rank, bank_bytes.size());
  for (const chain_edge& put : edges) {
    if (put.origin != rank && put.target != rank) continue;
    // With two banks, the put that comes back tells that the target is done with the bank that the
    // next put but one overwrites. Without such a put only a credit tells it.
    const int peer = put.origin == rank ? put.target : put.origin;
    const bool credit = banks == 1 || !peers.both_ways(peer);
    if (put.origin == rank)
      plan.puts.push_back({sources[static_cast<std::size_t>(put.put)], put.target, put.offset,
                           stride_of(put.target), put.arrival, put.put, credit, put.variable});
    if (put.target == rank) {
      const auto index = static_cast<std::size_t>(put.arrival);
      plan.arrivals.resize(std::max(plan.arrivals.size(), index + 1));
      plan.arrivals[index] = {put.origin, put.put, put.arrival, put.offset,
                              put.bytes,  credit,  put.variable};
    }
  }
  return plan;
}

}  // namespace onehop
