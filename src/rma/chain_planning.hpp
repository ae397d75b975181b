#pragma once
/// Commit makes one rank's plan of a chain here, once the chain is known to fit.

#include <cstddef>
#include <vector>

#include "rma/chain_description.hpp"
#include "transport/base/chain_plan.hpp"

namespace onehop {

/// Pairs the k-th put from A to B with the k-th arrival from A at B, in order of origin and put.
/// Throws chain_refusal where one of them is not there.
std::vector<chain_edge> pair_up(const chain_description& chain);

/// Describes the chain with its puts into the landing zone: memory of two banks that is made for
/// the chain, in which each put lies without gaps and begins a cache line.
chain_description landing_of(const chain_description& chain);

/// Makes the plan of `rank` for paired puts into windows of `bank_bytes` per bank; `sources` are
/// those of its puts, in order.
chain_plan plan_edges(const std::vector<chain_edge>& edges, int banks,
                      const rank_table<std::size_t>& bank_bytes, int rank,
                      const std::vector<local_view>& sources);

/// Makes the plan of `rank` for a checked chain; `sources` are those of its puts, in order.
chain_plan plan_chain(const chain_description& chain, int rank,
                      const std::vector<local_view>& sources);

}  // namespace onehop
