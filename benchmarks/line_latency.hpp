#pragma once
#include "benchmarks/common_page.hpp"
#include "benchmarks/flag_line.hpp"

namespace onehop::bench {

/// A line_latency measures how long a cache line takes from rank 0 to rank 1: half the round trip
/// of a flag. It depends on which cores the ranks sit on, and on a virtual machine changes when
/// those are moved.
class line_latency {
 public:
  explicit line_latency(const context& ctx)
      : ctx_(ctx), page_(ctx), flags_(reinterpret_cast<flag_line*>(page_.data())) {}
  /// Returns the same value on all ranks, 0 for one rank and for ranks of several machines.
  /// Collective.
  double measure_ns();

 private:
  context ctx_;
  common_page page_;
  flag_line* flags_;  ///< flags, one for each of the two ranks
  std::uint64_t count_ = 0;
};

}  // namespace onehop::bench
