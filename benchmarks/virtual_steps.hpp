#pragma once
/// Steps on a virtual machine, whose time repeats itself to the picosecond, need only a few
/// samples.

#include <onehop/context.hpp>

#include "benchmarks/interleave.hpp"

namespace onehop::bench {

/// Returns one sample per contender: microseconds per step in the time of the context's transport,
/// on the slowest rank. Collective. `apart` lets all ranks begin each step at the same moment, as
/// collectives are measured; otherwise `steps` follow each other.
outcome time_virtual_steps(const context& ctx, contenders& list, std::uint64_t steps, bool apart);

}  // namespace onehop::bench
