#pragma once
/// Once a chain is known to be consistent, commit makes one rank's plan of it here.

#include <cstddef>
#include <vector>

#include "rma/chain_description.hpp"
#include "transport/base/chain_plan.hpp"

namespace onehop {

/// Pairs the k-th put from A to B with the k-th arrival from A at B, ordered by origin and put.
/// Throws chain_refusal if either is missing.
std::vector<chain_edge> pair_up(const chain_description& chain);

/// Returns the chain with its puts directed into the landing zone. This is memory of the chain with
/// two banks, in which each put lies without gaps and begins at a cache line.
chain_description landing_of(const chain_description& chain);

/// Makes the plan of `rank` for paired puts into windows of `bank_bytes` per bank. `sources` are
/// the sources of this rank's puts, in order.
chain_plan plan_edges(const std::vector<chain_edge>& edges, int banks,
                      const rank_table<std::size_t>& bank_bytes, int rank,
                      const std::vector<local_view>& sources);

/// Makes the plan of `rank` for a checked chain. `sources` are the sources of its puts, in order.
chain_plan plan_chain(const chain_description& chain, int rank,
                      const std::vector<local_view>& sources);

}  // namespace onehop
