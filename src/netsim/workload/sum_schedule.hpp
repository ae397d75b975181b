#pragma once
/// Schedules of sums among a power of two of ranks, and among others by pairs.

#include "netsim/workload/schedule.hpp"

namespace onehop::netsim {

/// All of it with a partner at every step.
step_list doubling_sum(int ranks, int rank, std::size_t bytes);

/// Half of what is left with a partner at every step, each summing the other half; then back.
step_list halving_sum(int ranks, int rank, std::size_t bytes);

}  // namespace onehop::netsim
