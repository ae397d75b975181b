#pragma once
/// Steps on a virtual machine need only a few samples, because their time is the same to the
/// picosecond in each run.

#include <onehop/context.hpp>

#include "benchmarks/interleave.hpp"

namespace onehop::bench {

/// Returns one sample per contender: microseconds per step in the time of the context's transport,
/// on the slowest rank. Collective. With `apart`, all ranks begin each step at the same moment, as
/// in measurements of collectives; otherwise `steps` follow each other.
outcome time_virtual_steps(const context& ctx, contenders& list, std::uint64_t steps, bool apart);

}  // namespace onehop::bench
