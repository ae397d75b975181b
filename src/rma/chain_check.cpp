#include "rma/chain_check.hpp"

#include <algorithm>
#include <onehop/error.hpp>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "base/text.hpp"
#include "rma/chain_pairing.hpp"
#include "rma/chain_refusal.hpp"

namespace onehop {
namespace {

/// The bytes of a bank that a put writes, and those between them.
struct bank_range {
  std::size_t begin, end;
};

/// No value where it reaches before the bank, or further than any memory.
std::optional<bank_range> range_of(const chain_edge& put) {
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

void check_bounds(const chain_description& chain, const std::vector<chain_edge>& edges) {
  for (const chain_edge& put : edges) {
    const std::size_t bank = chain.window_bytes[static_cast<std::size_t>(put.target)];
    const std::optional<bank_range> range = range_of(put);
    if (!range || range->end > bank)
      refuse(chain, refusal::bounds, put.origin, put.origin,
             text(describe_put(put), ", whose window has ", bank,
                  " bytes per bank: allocate a larger window there or put less"));
  }
}

/// A run of one of several puts, in a bank of their target.
struct placed_run {
  std::size_t begin, end;
  const chain_edge* put;
};

/// The runs of puts of one target that lie in each other's ranges must differ in every byte.
void check_runs(const chain_description& chain, std::span<const chain_edge> puts) {
  std::vector<placed_run> runs;
  for (const chain_edge& put : puts) {
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
             text(describe_put(*after.put), " where ", describe_put(*before.put),
                  " in the same chain (up to ", before.end, "): give them separate regions"));
}

void check_overlap(const chain_description& chain, std::vector<chain_edge> edges) {
  for (const chain_edge& put : edges)
    if (put.layout != nullptr && !put.layout->runs_are_apart())
      refuse(chain, refusal::runs, put.origin, put.origin,
             text(describe_put(put), ", which overlap each other: give each a region of its own"));
  const auto begin = [](const chain_edge& put) { return range_of(put)->begin; };
  std::ranges::sort(edges, {}, [&](const chain_edge& put) {
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

/// Ranks that put to each other read and write in the same way, or one would look elsewhere for
/// what has come.
void check_turns(const chain_description& chain, const std::vector<chain_edge>& edges) {
  const auto takes_turns = [&](int rank) {
    const std::vector<chain_entry>& entries = chain.ranks.at(rank);
    return !entries.empty() && entries.front().in_turns != 0;
  };
  for (const chain_edge& put : edges) {
    const bool here = takes_turns(put.origin);
    if (here == takes_turns(put.target)) continue;
    const int first = std::min(put.origin, put.target);
    refuse(chain, refusal::turns, first, first,
           text("rank ", here ? put.origin : put.target, " calls take_turns for a put chain, rank ",
                here ? put.target : put.origin,
                " does not and puts to it or gets puts of it: call it on all ranks or on none"));
  }
}

}  // namespace

void check_chain(const chain_description& chain) {
  const std::vector<chain_edge> edges = pair_up(chain);
  check_bounds(chain, edges);
  check_overlap(chain, edges);
  check_turns(chain, edges);
}

void refuse_on_devices(const chain_description& chain) {
  for (const chain_edge& put : puts_of(chain)) {
    if (put.layout != nullptr)
      throw usage_error(text(describe_put(put),
                             " in a chain with memory of devices, whose puts arrive without gaps: "
                             "put each run by itself, or keep it in the host's memory"));
    if (put.variable)
      throw usage_error(text(describe_put(put),
                             " in a chain with memory of devices, which takes puts of "
                             "fixed size: push all of it, or keep it in the host's "
                             "memory"));
  }
}

}  // namespace onehop
