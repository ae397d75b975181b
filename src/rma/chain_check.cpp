#include "rma/chain_check.hpp"

#include <algorithm>
#include <map>
#include <onehop/error.hpp>
#include <utility>

#include "base/text.hpp"
#include "rma/window_state.hpp"

namespace onehop {
namespace {

using edge = chain_edge;
using rank_pair = std::pair<int, int>;
/// Indices of the puts, or of the arrivals, of each (origin, target) in the order described.
using slots_by_pair = std::map<rank_pair, std::vector<int>>;

std::string where(const edge& put) {
  return text("rank ", put.origin, " puts ", put.variable ? "up to " : "", put.bytes,
              " bytes at offset ", put.offset, " of rank ", put.target);
}

std::vector<edge> puts_of(const chain_description& chain) {
  std::vector<edge> edges;
  for (int rank = 0; rank < static_cast<int>(chain.ranks.size()); ++rank) {
    int put = 0;
    for (const chain_entry& entry : chain.ranks[static_cast<std::size_t>(rank)])
      if (entry.what == chain_entry::kind::put)
        edges.push_back({rank, static_cast<int>(entry.peer), put++, -1, entry.offset, entry.bytes,
                         entry.variable != 0});
  }
  return edges;
}

slots_by_pair arrivals_of(const chain_description& chain) {
  slots_by_pair arrivals;
  for (int rank = 0; rank < static_cast<int>(chain.ranks.size()); ++rank) {
    int arrival = 0;
    for (const chain_entry& entry : chain.ranks[static_cast<std::size_t>(rank)])
      if (entry.what == chain_entry::kind::origin)
        arrivals[{static_cast<int>(entry.peer), rank}].push_back(arrival++);
  }
  return arrivals;
}

void check_bounds(const chain_description& chain, const std::vector<edge>& edges) {
  for (const edge& put : edges) {
    const std::size_t bank = chain.window_bytes[static_cast<std::size_t>(put.target)];
    if (put.bytes > bank || put.offset > bank - put.bytes)
      throw chain_error(text(where(put), ", whose window has ", bank,
                             " bytes per bank: allocate a larger window there or put less"));
  }
}

void check_overlap(std::vector<edge> edges) {
  std::ranges::sort(edges, {}, [](const edge& put) {
    return std::tuple(put.target, put.offset, put.origin, put.put);
  });
  for (std::size_t i = 1; i < edges.size(); ++i) {
    const edge& before = edges[i - 1];
    const edge& after = edges[i];
    if (before.target == after.target && before.offset + before.bytes > after.offset)
      throw chain_error(text(where(after), " where ", where(before), " in the same chain (up to ",
                             before.offset + before.bytes, "): give them separate regions"));
  }
}

bool goes_back(const std::vector<edge>& edges, const edge& put) {
  return std::ranges::any_of(edges, [&](const edge& other) {
    return other.origin == put.target && other.target == put.origin;
  });
}

}  // namespace

std::vector<edge> pair_up(const chain_description& chain) {
  std::vector<edge> edges = puts_of(chain);
  const slots_by_pair arrivals = arrivals_of(chain);
  std::map<rank_pair, std::size_t> used;
  for (edge& put : edges) {
    std::size_t& count = used[{put.origin, put.target}];
    const auto expected = arrivals.find({put.origin, put.target});
    const std::size_t origins = expected == arrivals.end() ? 0 : expected->second.size();
    if (count == origins)
      throw chain_error(text(where(put), " as put number ", count + 1, " to it, but rank ",
                             put.target, " has ", origins, " add_origin(", put.origin,
                             "): add one there or push one put less"));
    put.arrival = expected->second[count++];
  }
  for (const auto& [pair, slots] : arrivals)
    if (const std::size_t puts = used[pair]; puts < slots.size())
      throw chain_error(text("rank ", pair.second, " has ", slots.size(), " add_origin(",
                             pair.first, "), but rank ", pair.first, " pushes ", puts,
                             " puts to rank ", pair.second,
                             ": push one there or add one origin less"));
  return edges;
}

void check_chain(const chain_description& chain) {
  const std::vector<edge> edges = pair_up(chain);
  check_bounds(chain, edges);
  check_overlap(edges);
}

chain_description landing_of(const chain_description& chain) {
  constexpr std::size_t line = 64;
  chain_description landing = chain;
  landing.banks = 2;
  std::ranges::fill(landing.window_bytes, 0);
  for (std::vector<chain_entry>& entries : landing.ranks)
    for (chain_entry& entry : entries) {
      if (entry.what != chain_entry::kind::put) continue;
      std::size_t& used = landing.window_bytes[static_cast<std::size_t>(entry.peer)];
      entry.offset = used;
      // What a device writes to the window itself is but notified.
      used += entry.by_peer != 0 ? line : (entry.bytes + line - 1) / line * line;
    }
  return landing;
}

chain_plan plan_chain(const chain_description& chain, int rank,
                      const std::vector<local_view>& sources) {
  return plan_edges(pair_up(chain), chain.banks, chain.window_bytes, rank, sources);
}

chain_plan plan_edges(const std::vector<chain_edge>& edges, int banks,
                      const std::vector<std::size_t>& bank_bytes, int rank,
                      const std::vector<local_view>& sources) {
  chain_plan plan;
  plan.banks = banks;
  plan.sizes = std::make_shared<std::vector<std::size_t>>();
  for (const local_view& source : sources) plan.sizes->push_back(source.bytes());
  for (const std::size_t bytes : bank_bytes)
    plan.bank_stride.push_back(window::state::bank_stride(bytes));
  for (const edge& put : edges) {
    // With two banks, the put that comes back tells that the target is done with the bank that the
    // next put but one overwrites. Nothing tells so otherwise.
    const bool credit = banks == 1 || !goes_back(edges, put);
    if (put.origin == rank)
      plan.puts.push_back({sources[static_cast<std::size_t>(put.put)], put.target, put.offset,
                           put.arrival, put.put, credit, true, put.variable});
    if (put.target == rank) {
      const auto index = static_cast<std::size_t>(put.arrival);
      plan.arrivals.resize(std::max(plan.arrivals.size(), index + 1));
      plan.arrivals[index] = {put.origin, put.put, put.arrival, put.offset,
                              put.bytes,  credit,  put.variable};
    }
  }
  return plan;
}

bool touches_devices(const chain_description& chain) {
  const bool window =
      std::ranges::any_of(chain.window_on_device, [](std::uint8_t one) { return one != 0; });
  return window || std::ranges::any_of(chain.ranks, [](const std::vector<chain_entry>& entries) {
           return std::ranges::any_of(entries,
                                      [](const chain_entry& e) { return e.on_device != 0; });
         });
}

void refuse_variable_puts(const chain_description& chain) {
  for (const edge& put : puts_of(chain))
    if (put.variable)
      throw usage_error(text(where(put),
                             " in a chain with memory of devices, which takes puts of "
                             "fixed size: push all of it, or keep it in the host's "
                             "memory"));
}

}  // namespace onehop
