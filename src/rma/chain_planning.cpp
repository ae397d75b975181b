#include "rma/chain_planning.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.hpp"
#include "rma/chain_refusal.hpp"
#include "rma/window_state.hpp"

namespace onehop {
namespace {

/// An expected_put is an arrival that a rank described; `slot` is its index among that rank's
/// arrivals.
struct expected_put {
  int origin, target, slot;
};

/// Returns origin and target, by which puts and arrivals are sorted so that they can be matched.
template <class Put>
std::pair<int, int> way_of(const Put& put) {
  return {put.origin, put.target};
}

/// Returns all arrivals sorted by origin and target; equal ones stay in the order of their
/// description.
std::vector<expected_put> arrivals_of(const chain_description& chain) {
  std::vector<expected_put> arrivals;
  for (const auto& [rank, entries] : chain.ranks) {
    int slot = 0;
    for (const chain_entry& entry : entries) {
      if (entry.what != chain_entry::kind::origin) continue;
      const expected_put arrival{static_cast<int>(entry.peer), rank, slot++};
      if (chain.counts(arrival.origin, rank)) arrivals.push_back(arrival);
    }
  }
  std::ranges::stable_sort(arrivals, {}, way_of<expected_put>);
  return arrivals;
}

template <class Put>
std::size_t count_of(const std::vector<Put>& puts, const std::pair<int, int>& way) {
  return static_cast<std::size_t>(std::ranges::count(puts, way, way_of<Put>));
}

[[noreturn]] void refuse_put(const chain_description& chain, const chain_edge& put,
                             const std::vector<expected_put>& arrivals) {
  const std::size_t origins = count_of(arrivals, way_of(put));
  refuse(
      chain, refusal::put, put.origin, put.origin,
      text(describe_put(put), " as put number ", origins + 1, " to it, but rank ", put.target,
           " has ", origins, " add_origin(", put.origin, "): add one there or push one put less"));
}

[[noreturn]] void refuse_arrival(const chain_description& chain, const expected_put& arrival,
                                 const std::vector<chain_edge>& edges,
                                 const std::vector<expected_put>& arrivals) {
  const auto way = way_of(arrival);
  refuse(chain, refusal::arrival, arrival.target, arrival.origin,
         text("rank ", way.second, " has ", count_of(arrivals, way), " add_origin(", way.first,
              "), but rank ", way.first, " pushes ", count_of(edges, way), " puts to rank ",
              way.second, ": push one there or add one origin less"));
}

/// A partners object marks the ranks to which one rank puts, and those from which it receives.
struct partners {
  std::vector<bool> targets, origins;

  partners(const std::vector<chain_edge>& edges, int rank, std::size_t ranks)
      : targets(ranks), origins(ranks) {
    for (const chain_edge& put : edges) {
      if (put.origin == rank) targets[static_cast<std::size_t>(put.target)] = true;
      if (put.target == rank) origins[static_cast<std::size_t>(put.origin)] = true;
    }
  }

  /// Returns whether this rank both puts to `peer` and receives from it.
  bool both_ways(int peer) const {
    const auto index = static_cast<std::size_t>(peer);
    return targets[index] && origins[index];
  }
};

}  // namespace

std::vector<chain_edge> pair_up(const chain_description& chain) {
  std::vector<chain_edge> edges = puts_of(chain);
  const std::vector<expected_put> arrivals = arrivals_of(chain);
  std::vector<std::size_t> by_way(edges.size());
  std::iota(by_way.begin(), by_way.end(), std::size_t{0});
  std::ranges::stable_sort(by_way, {}, [&](std::size_t put) { return way_of(edges[put]); });

  std::vector<expected_put> without_put;
  auto next = arrivals.begin();
  const auto pass = [&] { without_put.push_back(*next++); };
  for (const std::size_t put : by_way) {
    while (next != arrivals.end() && way_of(*next) < way_of(edges[put])) pass();
    if (next != arrivals.end() && way_of(*next) == way_of(edges[put]))
      edges[put].arrival = (next++)->slot;
  }
  while (next != arrivals.end()) pass();

  // The edges that a rank sees keep their order among all edges. If the first mismatch of the job
  // is its own, it therefore finds that one first and reports it.
  const auto unexpected = [](const chain_edge& put) { return put.arrival == -1; };
  if (const auto put = std::ranges::find_if(edges, unexpected); put != edges.end())
    refuse_put(chain, *put, arrivals);
  if (!without_put.empty()) refuse_arrival(chain, without_put.front(), edges, arrivals);
  return edges;
}

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
      // If a device writes the window itself, its put needs room only for the notification.
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
    // With two banks, the put that comes back tells that the target has finished with the bank that
    // the next put but one overwrites. Without such a put, only a credit can tell this.
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
