#pragma once
/// Commit checks here whether what this rank and its partners described as a chain fits together.

#include <onehop/context.hpp>
#include <onehop/put_chain.hpp>

#include "rma/chain_description.hpp"

namespace onehop {

/// Returns how the put travels at commit. Throws usage_error for one that cannot be.
chain_entry entry_of(const context& ctx, const put& description);

/// Returns how an expected origin travels at commit. Throws usage_error for a rank outside the job.
chain_entry entry_of_origin(const context& ctx, int rank);

/// Throws chain_refusal naming both sides of the first mismatch. Of what the ranks throw, that of
/// the lowest order, and of these the lowest rank's, is what a description by everyone gives.
void check_chain(const chain_description& chain);

/// Throws usage_error naming the first put that no transport of devices' memory carries: one
/// whose bytes lie apart at its target.
void refuse_on_devices(const chain_description& chain);

}  // namespace onehop
