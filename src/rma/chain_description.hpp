#pragma once
/// A chain is described by the puts and the expected arrivals of its ranks. Commit makes plans from
/// it.

#include <cstdint>
#include <map>
#include <memory>
#include <onehop/put.hpp>
#include <optional>
#include <string>
#include <vector>

#include "rma/rank_table.hpp"
#include "rma/run_copy.hpp"

namespace onehop {

/// A byte_extent holds the first byte and the one after the last, both relative to the put's
/// remote_offset.
struct byte_extent {
  std::ptrdiff_t begin, end;
};

/// An arrival_layout describes runs of equal length, given by loops or by listed starts, relative
/// to the put's remote_offset.
struct arrival_layout {
  strided_layout runs;
  std::vector<std::uint64_t> starts;  ///< empty if the loops of `runs` give the starts

  std::size_t count() const noexcept {
    return starts.empty() ? runs.counts[0] * runs.counts[1] * runs.counts[2] : starts.size();
  }

  /// Returns the extent of all runs; no value where it is larger than any memory.
  std::optional<byte_extent> extent() const;
  /// Returns true when no byte belongs to two runs.
  bool runs_are_apart() const;

  /// Calls visit(offset) for each run, in the order in which the runs travel.
  template <class Visit>
  void for_each_run(const Visit& visit) const {
    if (starts.empty()) return onehop::for_each_run(runs, visit);
    for (const std::uint64_t start : starts) visit(static_cast<std::ptrdiff_t>(start));
  }

  /// Copies bytes that lie without gaps into the runs; `home` is the address of remote_offset.
  void spread(const std::byte* from, std::byte* home) const;
};

/// A chain_entry is one push or add_origin in the form in which it travels at commit.
struct chain_entry {
  enum class kind : std::uint64_t { put, origin };
  kind what;
  std::int64_t peer;
  std::uint64_t bytes, offset;  ///< bytes of a put, and its offset in the target's bank
  /// These flags of a put say that its source lies in a device's memory, that it can be sent in
  /// pieces of any size, and that its device writes the target's window itself.
  std::uint8_t on_device, divisible, by_peer;
  std::uint8_t variable;   ///< `bytes` is the largest size that the put may send
  std::uint32_t in_turns;  ///< the rank has called take_turns, the same in all of its entries
  strided_layout remote;   ///< layout of a put that is not contiguous in the target's window
  std::uint64_t starts;    ///< length of this put's part of the rank's list of starts
};

/// A chain_edge is one put and, once paired, the arrival it causes. Indices count within their
/// rank.
struct chain_edge {
  int origin, target;
  int put, arrival;
  std::size_t offset, bytes;
  bool variable = false;
  std::shared_ptr<const arrival_layout> layout = {};  ///< null if the bytes lie without gaps
};

/// A chain_description is the chain as the ranks described it.
struct chain_description {
  static constexpr int everyone = -1;
  std::map<int, std::vector<chain_entry>> ranks;  ///< the lists that are known, by rank
  rank_table<std::size_t> window_bytes;           ///< bytes of one bank, by rank
  int banks;
  /// Says for each rank whether its window lies in a device's memory.
  rank_table<std::uint8_t> window_on_device;
  bool registered;
  /// Each list holds the starts of the runs of one rank's puts, put after put; empty if there are
  /// none.
  std::vector<std::vector<std::uint64_t>> starts = {};
  /// If this is a rank, only the lists of this rank and its partners are known, and only puts from
  /// it and to it count. If it is `everyone`, all lists are known and all puts count.
  int seen_by = everyone;

  bool counts(int origin, int target) const noexcept {
    return seen_by == everyone || origin == seen_by || target == seen_by;
  }
};

/// Returns the puts that count, not yet paired, ordered by origin and put.
std::vector<chain_edge> puts_of(const chain_description& chain);

/// Returns a put in words, as "rank 0 puts 8 bytes at offset 16 of rank 1".
std::string describe_put(const chain_edge& put);

/// Returns whether any window, or any put's source, lies in a device's memory.
bool touches_devices(const chain_description& chain);

/// Returns whether puts arrive in memory of the chain, from which their targets copy them to
/// windows.
bool lands(const chain_description& chain);

/// Returns whether any put lists the starts of its runs.
bool has_starts(const chain_description& chain);

}  // namespace onehop
