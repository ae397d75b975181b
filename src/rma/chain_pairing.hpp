#pragma once
/// The puts of a chain meet the arrivals that their targets expect.

#include <vector>

#include "rma/chain_description.hpp"

namespace onehop {

/// Pairs the k-th put from A to B with the k-th arrival from A at B, in order of origin and put.
/// Throws chain_refusal where one of them is not there.
std::vector<chain_edge> pair_up(const chain_description& chain);

}  // namespace onehop
