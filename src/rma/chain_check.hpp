#pragma once
/// Commit says here what does not fit in a chain, as this rank and its partners described it.

#include "rma/chain_description.hpp"

namespace onehop {

/// Throws chain_refusal naming both sides of the first mismatch. Of what the ranks throw, that of
/// the lowest order, and of these the lowest rank's, is what a description by everyone gives.
void check_chain(const chain_description& chain);

/// Throws usage_error naming the first put that no transport of devices' memory carries: one of
/// variable size, or one whose bytes lie apart at its target.
void refuse_on_devices(const chain_description& chain);

}  // namespace onehop
