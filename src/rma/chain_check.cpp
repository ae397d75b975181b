#include "rma/chain_check.hpp"

#include <algorithm>
#include <numeric>
#include <onehop/error.hpp>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "rma/window_state.hpp"

namespace onehop {
namespace {

using edge = chain_edge;

/// Refusals come in this order, and of one kind by rank.
enum class refusal : std::uint32_t { put, arrival, bounds, runs, overlap, by_another };

/// Throws a refusal that counts before later ones where this rank is the one that tells it, and
/// else behind all that other ranks tell.
[[noreturn]] void refuse(const chain_description& chain, refusal kind, int teller, int rank,
                         const std::string& message) {
  constexpr unsigned bits_of_rank = 24;
  const bool own = chain.seen_by == chain_description::everyone || chain.seen_by == teller;
  const auto among = static_cast<std::uint32_t>(own ? kind : refusal::by_another);
  throw chain_refusal(message, among << bits_of_rank | static_cast<std::uint32_t>(rank));
}

/// An expected_put is an arrival that a rank described; `slot` counts among those of its rank.
struct expected_put {
  int origin, target, slot;
};

/// Returns from where to where, as the order in which puts and arrivals meet.
template <class Put>
std::pair<int, int> way_of(const Put& put) {
  return {put.origin, put.target};
}

std::string where(const edge& put) {
  const std::string runs = put.layout == nullptr ? std::string()
                                                 : text(" in ", put.layout->count(), " runs of ",
                                                        put.layout->runs.run_bytes);
  return text("rank ", put.origin, " puts ", put.variable ? "up to " : "", put.bytes, " bytes",
              runs, " at offset ", put.offset, " of rank ", put.target);
}

/// The layout of a put with its share of its rank's starts; null where its bytes have no gaps.
std::shared_ptr<const arrival_layout> layout_of(const chain_entry& put,
                                                std::span<const std::uint64_t> starts) {
  if (put.remote.run_bytes == 0) return nullptr;
  return std::make_shared<arrival_layout>(
      arrival_layout{put.remote, {starts.begin(), starts.end()}});
}

std::vector<edge> puts_of(const chain_description& chain) {
  std::vector<edge> edges;
  for (std::size_t rank = 0; rank < chain.ranks.size(); ++rank) {
    int put = 0;
    std::size_t first = 0;
    for (const chain_entry& entry : chain.ranks[rank]) {
      if (entry.what != chain_entry::kind::put) continue;
      std::span<const std::uint64_t> starts;
      if (entry.starts > 0) starts = std::span(chain.starts[rank]).subspan(first, entry.starts);
      first += entry.starts;
      const int number = put++;
      if (!chain.counts(static_cast<int>(rank), static_cast<int>(entry.peer))) continue;
      edges.push_back({static_cast<int>(rank), static_cast<int>(entry.peer), number, -1,
                       entry.offset, entry.bytes, entry.variable != 0, layout_of(entry, starts)});
    }
  }
  return edges;
}

/// The bytes of a bank that a put writes, and those between them.
struct bank_range {
  std::size_t begin, end;
};

/// No value where it reaches before the bank, or further than any memory.
std::optional<bank_range> range_of(const edge& put) {
  std::size_t end = 0;
  if (put.layout == nullptr) {
    if (__builtin_add_overflow(put.offset, put.bytes, &end)) return std::nullopt;
    return bank_range{put.offset, end};
  }
  const auto extent = put.layout->extent();
  std::size_t begin = 0;
  if (!extent || __builtin_add_overflow(put.offset, extent->begin, &begin) ||
      __builtin_add_overflow(put.offset, extent->end, &end))
    return std::nullopt;
  return bank_range{begin, end};
}

/// Returns all arrivals by their way, those of one way in the order of their description.
std::vector<expected_put> arrivals_of(const chain_description& chain) {
  std::vector<expected_put> arrivals;
  for (int rank = 0; rank < static_cast<int>(chain.ranks.size()); ++rank) {
    int slot = 0;
    for (const chain_entry& entry : chain.ranks[static_cast<std::size_t>(rank)]) {
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

[[noreturn]] void refuse_put(const chain_description& chain, const edge& put,
                             const std::vector<expected_put>& arrivals) {
  const std::size_t origins = count_of(arrivals, way_of(put));
  refuse(chain, refusal::put, put.origin, put.origin,
         text(where(put), " as put number ", origins + 1, " to it, but rank ", put.target, " has ",
              origins, " add_origin(", put.origin, "): add one there or push one put less"));
}

[[noreturn]] void refuse_arrival(const chain_description& chain, const expected_put& arrival,
                                 const std::vector<edge>& edges,
                                 const std::vector<expected_put>& arrivals) {
  const auto way = way_of(arrival);
  refuse(chain, refusal::arrival, arrival.target, arrival.origin,
         text("rank ", way.second, " has ", count_of(arrivals, way), " add_origin(", way.first,
              "), but rank ", way.first, " pushes ", count_of(edges, way), " puts to rank ",
              way.second, ": push one there or add one origin less"));
}

/// Refuses the first mismatch that is this rank's to refuse, else any.
void refuse_unpaired(const chain_description& chain, const std::vector<edge>& edges,
                     const std::vector<expected_put>& arrivals,
                     const std::vector<expected_put>& without_put) {
  const auto is_own = [&](int teller) {
    return chain.seen_by == chain_description::everyone || chain.seen_by == teller;
  };
  const auto unexpected = [](const edge& put) { return put.arrival == -1; };
  for (const edge& put : edges)
    if (unexpected(put) && is_own(put.origin)) refuse_put(chain, put, arrivals);
  for (const expected_put& arrival : without_put)
    if (is_own(arrival.target)) refuse_arrival(chain, arrival, edges, arrivals);
  if (const auto put = std::ranges::find_if(edges, unexpected); put != edges.end())
    refuse_put(chain, *put, arrivals);
  if (!without_put.empty()) refuse_arrival(chain, without_put.front(), edges, arrivals);
}

void check_bounds(const chain_description& chain, const std::vector<edge>& edges) {
  for (const edge& put : edges) {
    const std::size_t bank = chain.window_bytes[static_cast<std::size_t>(put.target)];
    const std::optional<bank_range> range = range_of(put);
    if (!range || range->end > bank)
      refuse(chain, refusal::bounds, put.origin, put.origin,
             text(where(put), ", whose window has ", bank,
                  " bytes per bank: allocate a larger window there or put less"));
  }
}

/// A run of one of several puts, in a bank of their target.
struct placed_run {
  std::size_t begin, end;
  const edge* put;
};

/// The runs of puts of one target that lie in each other's ranges must differ in every byte.
void check_runs(const chain_description& chain, std::span<const edge> puts) {
  std::vector<placed_run> runs;
  for (const edge& put : puts) {
    const auto add = [&](std::size_t begin, std::size_t bytes) {
      runs.push_back({begin, begin + bytes, &put});
    };
    if (put.layout == nullptr)
      add(put.offset, put.bytes);
    else
      put.layout->for_each_run([&](std::ptrdiff_t offset) {
        add(put.offset + static_cast<std::size_t>(offset), put.layout->runs.run_bytes);
      });
  }
  std::ranges::sort(runs, {}, [](const placed_run& run) {
    return std::tuple(run.begin, run.put->origin, run.put->put);
  });
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (const placed_run& before = runs[i - 1], &after = runs[i]; before.end > after.begin)
      refuse(chain, refusal::overlap, after.put->target, after.put->target,
             text(where(*after.put), " where ", where(*before.put), " in the same chain (up to ",
                  before.end, "): give them separate regions"));
}

void check_overlap(const chain_description& chain, std::vector<edge> edges) {
  for (const edge& put : edges)
    if (put.layout != nullptr && !put.layout->runs_are_apart())
      refuse(chain, refusal::runs, put.origin, put.origin,
             text(where(put), ", which overlap each other: give each a region of its own"));
  const auto begin = [](const edge& put) { return range_of(put)->begin; };
  std::ranges::sort(edges, {}, [&](const edge& put) {
    return std::tuple(put.target, begin(put), put.origin, put.put);
  });
  for (std::size_t first = 0, next = 0; first < edges.size(); first = next) {
    std::size_t end = 0;
    for (next = first; next < edges.size() && edges[next].target == edges[first].target; ++next) {
      if (next > first && begin(edges[next]) >= end) break;
      end = std::max(end, range_of(edges[next])->end);
    }
    if (next > first + 1) check_runs(chain, std::span(edges).subspan(first, next - first));
  }
}

/// The ranks to which and from which one rank's puts go, marked by rank.
struct partners {
  std::vector<bool> targets, origins;

  partners(const std::vector<edge>& edges, int rank, std::size_t ranks)
      : targets(ranks), origins(ranks) {
    for (const edge& put : edges) {
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

template <class Is>
bool any_entry(const chain_description& chain, const Is& is) {
  return std::ranges::any_of(chain.ranks, [&](const std::vector<chain_entry>& entries) {
    return std::ranges::any_of(entries, is);
  });
}

}  // namespace

std::vector<edge> pair_up(const chain_description& chain) {
  std::vector<edge> edges = puts_of(chain);
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

  refuse_unpaired(chain, edges, arrivals, without_put);
  return edges;
}

void check_chain(const chain_description& chain) {
  const std::vector<edge> edges = pair_up(chain);
  check_bounds(chain, edges);
  check_overlap(chain, edges);
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
      entry.remote = {};
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
  const auto stride_of = [&](int of) {
    return window::state::bank_stride(bank_bytes[static_cast<std::size_t>(of)]);
  };
  plan.own_stride = stride_of(rank);
  const partners peers(edges, rank, bank_bytes.size());
  for (const edge& put : edges) {
    if (put.origin != rank && put.target != rank) continue;
    // With two banks, the put that comes back tells that the target is done with the bank that the
    // next put but one overwrites. Without such a put only a credit tells it.
    const int peer = put.origin == rank ? put.target : put.origin;
    const bool credit = banks == 1 || !peers.both_ways(peer);
    if (put.origin == rank)
      plan.puts.push_back({sources[static_cast<std::size_t>(put.put)], put.target, put.offset,
                           stride_of(put.target), put.arrival, put.put, credit, true,
                           put.variable});
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
  return window || any_entry(chain, [](const chain_entry& e) { return e.on_device != 0; });
}

bool lands(const chain_description& chain) {
  return chain.registered ||
         any_entry(chain, [](const chain_entry& e) { return e.remote.run_bytes != 0; });
}

bool has_starts(const chain_description& chain) {
  return any_entry(chain, [](const chain_entry& e) { return e.starts != 0; });
}

void refuse_on_devices(const chain_description& chain) {
  for (const edge& put : puts_of(chain)) {
    if (put.layout != nullptr)
      throw usage_error(text(where(put),
                             " in a chain with memory of devices, whose puts arrive without gaps: "
                             "put each run by itself, or keep it in the host's memory"));
    if (put.variable)
      throw usage_error(text(where(put),
                             " in a chain with memory of devices, which takes puts of "
                             "fixed size: push all of it, or keep it in the host's "
                             "memory"));
  }
}

}  // namespace onehop
