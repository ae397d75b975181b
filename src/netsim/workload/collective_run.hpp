#pragma once
/// A collective alone on a machine, with the messages of all ranks on the wires together.

#include <string_view>

#include "netsim/workload/routes.hpp"

namespace onehop::netsim {

/// The plan of a collective by its name, or of the alltoall that asks to be staged by
/// "staged-alltoall". Throws usage_error for any other name.
collective_plan plan_named(const routes& ways, std::string_view operation, int ranks, int rank,
                           std::size_t bytes, int root = 0);

/// How long it takes until every rank is through, the second time in a row, so that tables of
/// pages are warm. Checks conservation.
picoseconds collective_time(const machine_description& machine, const rank_memory& where,
                            std::string_view operation, int ranks, std::size_t bytes);

}  // namespace onehop::netsim
