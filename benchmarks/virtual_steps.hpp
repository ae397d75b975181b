#pragma once
/// Steps on a virtual machine, whose time repeats itself to the picosecond: a few are enough.

#include <onehop/context.hpp>

#include "benchmarks/interleave.hpp"

namespace onehop::bench {

/// Collective. One sample per contender: microseconds per step in the time of the context's
/// transport, of the slowest rank. `apart` lets all ranks begin each step at the same moment, as
/// collectives are measured; otherwise `steps` follow each other.
outcome time_virtual_steps(const context& ctx, contenders& list, std::uint64_t steps, bool apart);

}  // namespace onehop::bench
