#pragma once
/// These schedules sum among a power of two of ranks; other numbers of ranks are first reduced to
/// one by pairs.

#include "netsim/workload/schedule.hpp"

namespace onehop::netsim {

/// Returns the steps of a sum that exchanges all data with a partner at every step.
step_list doubling_sum(int ranks, int rank, std::size_t bytes);

/// Returns the steps of a sum that at every step exchanges half of the remaining data with a
/// partner, so that each sums one half, and then goes back.
step_list halving_sum(int ranks, int rank, std::size_t bytes);

}  // namespace onehop::netsim
