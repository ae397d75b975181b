#pragma once
/// The bytes of one arrival may lie apart in its window; an arrival_layout says where.

#include <onehop/put.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include "rma/run_copy.hpp"

namespace onehop {

/// A byte_extent has the first byte and the one past the last, counted from the put's
/// remote_offset.
struct byte_extent {
  std::ptrdiff_t begin, end;
};

/// An arrival_layout has runs of equal length, in loops or at listed starts, from the put's
/// remote_offset on.
struct arrival_layout {
  strided_layout runs;
  std::vector<std::uint64_t> starts;  ///< empty where the loops of `runs` say where they begin

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

  /// Spreads bytes that lie without gaps over the runs; `home` is where remote_offset is.
  void spread(const std::byte* from, std::byte* home) const;
};

}  // namespace onehop
