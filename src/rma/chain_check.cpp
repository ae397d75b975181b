#include "rma/chain_check.hpp"

#include <algorithm>
#include <limits>
#include <onehop/error.hpp>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/text.hpp"
#include "rma/chain_planning.hpp"
#include "rma/chain_refusal.hpp"
#include "rma/device_channels.hpp"

namespace onehop {
namespace {

void require_rank(const context& ctx, std::string_view call, int rank) {
  if (rank < 0 || rank >= ctx.size())
    throw usage_error(text("rank ", ctx.rank(), ": ", call, " names rank ", rank, ", the job has ",
                           ctx.size(), ": give one from 0 to ", ctx.size() - 1));
}

/// Returns how many runs `remote` or remote_starts describes; no value if no memory can hold as
/// many.
std::optional<std::size_t> runs_of(const put& description) {
  if (!description.remote_starts.empty()) return description.remote_starts.size();
  std::size_t runs = 1;
  for (const std::size_t count : description.remote.counts)
    if (__builtin_mul_overflow(runs, count, &runs)) return std::nullopt;
  return runs;
}

void require_layout(const context& ctx, const put& description) {
  const std::size_t run = description.remote.run_bytes, bytes = description.source.bytes();
  if (run == 0 && description.remote_starts.empty()) return;
  const std::string call =
      text("rank ", ctx.rank(), ": push of ", bytes, " bytes to rank ", description.target);
  if (run == 0)
    throw usage_error(text(call, " with ", description.remote_starts.size(),
                           " starts of runs of 0 bytes: give put::remote.run_bytes too"));
  const std::optional<std::size_t> runs = runs_of(description);
  if (!runs || bytes % run != 0 || *runs != bytes / run)
    throw usage_error(text(call, ", which arrive as ", runs ? text(*runs) : "too many", " runs of ",
                           run, ": give put::remote as many bytes as the source"));
  if (description.variable)
    throw usage_error(text(call, " at most, which arrive as ", *runs, " runs of ", run,
                           ": a put of variable size arrives without gaps"));
}

void require_bytes(const context& ctx, const put& description) {
  const local_view& source = description.source;
  const auto refuse = [&](std::string_view why) {
    throw usage_error(text("rank ", ctx.rank(), ": push of ", counted(source.blocks, "block"),
                           " of ", source.block_bytes, " bytes to rank ", description.target, why));
  };
  if (source.block_bytes == 0 || source.blocks == 0) refuse(": leave out a put that sends nothing");
  if (source.blocks > std::numeric_limits<std::size_t>::max() / source.block_bytes)
    refuse(", more than any memory: give fewer");
}

/// A bank_range spans the bytes of a bank that a put writes and the gaps between them.
struct bank_range {
  std::size_t begin, end;
};

/// Returns no value if the put begins before the bank, or reaches further than any memory.
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

/// A placed_run is one run of one of several puts, placed in a bank of their target.
struct placed_run {
  std::size_t begin, end;
  const chain_edge* put;
};

/// Puts to one target may have overlapping ranges, but their runs must not share a byte.
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

/// Ranks that put to each other must read and write in the same way. Otherwise one would look for
/// its arrivals in the wrong place.
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

chain_entry entry_of(const context& ctx, const put& description) {
  require_rank(ctx, "push", description.target);
  require_bytes(ctx, description);
  const local_view& source = description.source;
  const bool from_device = on_device(ctx, source.data);
  if (description.variable && source.blocks != 1)
    throw usage_error(text("rank ", ctx.rank(), ": push of up to ", source.bytes(),
                           " bytes to rank ", description.target, " from ",
                           counted(source.blocks, "block"),
                           ": a put of variable size sends one block"));
  require_layout(ctx, description);
  const bool divisible = from_device || (source.data != nullptr && source.blocks == 1);
  return {chain_entry::kind::put,
          description.target,
          source.bytes(),
          description.remote_offset,
          std::uint8_t{from_device},
          std::uint8_t{divisible},
          0,
          std::uint8_t{description.variable},
          0,
          description.remote,
          description.remote_starts.size()};
}

chain_entry entry_of_origin(const context& ctx, int rank) {
  require_rank(ctx, "add_origin", rank);
  return {chain_entry::kind::origin, rank, 0, 0, 0, 0, 0, 0, 0, {}, 0};
}

void check_chain(const chain_description& chain) {
  const std::vector<chain_edge> edges = pair_up(chain);
  check_bounds(chain, edges);
  check_overlap(chain, edges);
  check_turns(chain, edges);
}

void refuse_on_devices(const chain_description& chain) {
  for (const chain_edge& put : puts_of(chain))
    if (put.layout != nullptr)
      throw usage_error(text(describe_put(put),
                             " in a chain with memory of devices, whose puts arrive without gaps: "
                             "put each run by itself, or keep it in the host's memory"));
}

}  // namespace onehop
