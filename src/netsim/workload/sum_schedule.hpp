#pragma once
/// These are schedules of sums among a power of two of ranks; other numbers of ranks are reduced to
/// one by pairs.

#include "netsim/workload/schedule.hpp"

namespace onehop::netsim {

/// Returns the steps of a sum that exchanges all data with a partner at every step.
step_list doubling_sum(int ranks, int rank, std::size_t bytes);

/// Returns the steps of a sum that exchanges half of what is left with a partner at every step,
/// each summing the other half, and then goes back.
step_list halving_sum(int ranks, int rank, std::size_t bytes);

}  // namespace onehop::netsim
