#pragma once
/// Contenders timed in one run, a block of each in turn, so that all see the same machine.

#include <onehop/context.hpp>

#include "benchmarks/contender.hpp"
#include "measure/stopping.hpp"

namespace onehop::bench {

struct schedule {
  measure::stopping_limits stop;     ///< judged on the first contender
  measure::microseconds block_time;  ///< a block has as many steps as take about this long
  std::uint64_t steps = 0;           ///< of a block, instead
  std::uint64_t warmup = 0;          ///< steps before the first block, of each contender
  std::uint64_t checked_steps = 16;  ///< before and after the blocks
};

/// One contender's blocks. Sample i of each was taken in round i.
struct series {
  std::string name, family, channel;
  std::uint64_t steps = 0;  ///< of a block
  std::size_t bytes = 0;    ///< of a step
  int hops = 1;
  std::vector<double> us;   ///< per step, of the slowest rank
  std::uint64_t wrong = 0;  ///< bytes, of all ranks
  /// Left out after the first rounds, because others of its family were faster.
  bool dropped = false;
};

struct outcome {
  std::vector<series> all;
  /// By round: a rank lost its core to another program while it was timed.
  std::vector<char> disturbed;
  bool met = false;
  std::string why;             ///< how the criterion ended the run
  double line_latency_ns = 0;  ///< median of what was measured before each round; 0 for one rank
};

/// Collective. Every rank gets the same outcome.
outcome interleave(const context& ctx, contenders& list, const schedule& how);

}  // namespace onehop::bench
