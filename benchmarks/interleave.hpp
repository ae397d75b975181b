#pragma once
/// Contenders are timed in one run, one block of each in turn, so that all are measured under the
/// same conditions.

#include <onehop/context.hpp>

#include "benchmarks/contender.hpp"
#include "measure/stopping.hpp"

namespace onehop::bench {

struct schedule {
  measure::stopping_limits stop;     ///< the criterion is tested on the first contender
  measure::microseconds block_time;  ///< time of a block, which determines its steps
  std::uint64_t steps = 0;           ///< steps of a block, instead of block_time
  std::uint64_t warmup = 0;          ///< steps of each contender before the first block
  std::uint64_t checked_steps = 16;  ///< checked steps before and after the blocks
};

/// A series contains one contender's blocks. Sample i of every contender was taken in round i.
struct series {
  std::string name, family, channel;
  std::uint64_t steps = 0;  ///< steps of a block
  std::size_t bytes = 0;    ///< bytes of a step
  int hops = 1;
  std::vector<double> us;   ///< microseconds per step, on the slowest rank
  std::uint64_t wrong = 0;  ///< wrong bytes, over all ranks
  /// This is true if the contender was left out: after the first rounds because others of its
  /// family were faster, or because it has failed, in which case it may have no block.
  bool dropped = false;
};

struct outcome {
  std::vector<series> all;
  /// For each round, this is true if a rank lost its core to another program during the
  /// measurement.
  std::vector<char> disturbed;
  bool met = false;
  std::string why;             ///< how the criterion ended the run
  double line_latency_ns = 0;  ///< median of the latencies measured before each round; 0 for one
                               ///< rank
};

/// Times the contenders; collective. Every rank gets the same outcome.
outcome interleave(const context& ctx, contenders& list, const schedule& how);

}  // namespace onehop::bench
