#pragma once
/// A collective alone on a machine, with the messages of all ranks on the links together.

#include "netsim/workload/routes.hpp"

namespace onehop::netsim {

/// How long it takes until every rank is through, the second time in a row, so that tables of
/// pages are warm. Checks conservation.
picoseconds collective_time(const machine_description& machine, const rank_memory& where,
                            collective what, int ranks, std::size_t bytes);

}  // namespace onehop::netsim
