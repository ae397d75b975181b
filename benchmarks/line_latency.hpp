#pragma once
#include "benchmarks/hand_memory.hpp"

namespace onehop::bench {

/// How long a line takes from rank 0 to rank 1: half the round trip of a flag. Depends on which
/// cores the ranks sit on, and on a virtual machine changes when those are moved.
class line_latency {
 public:
  explicit line_latency(const context& ctx) : memory_(ctx, sizeof(flag_line)) {}
  /// Collective. The same value on all ranks; 0 for one rank.
  double measure_ns();

 private:
  hand_memory memory_;
  std::uint64_t count_ = 0;
};

}  // namespace onehop::bench
