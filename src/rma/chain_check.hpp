#pragma once
/// At commit, these functions check that this rank and its partners described a chain consistently.

#include <onehop/context.hpp>
#include <onehop/put_chain.hpp>

#include "rma/chain_description.hpp"

namespace onehop {

/// Returns the description of a put that travels at commit. Throws usage_error if the put is
/// invalid.
chain_entry entry_of(const context& ctx, const put& description);

/// Returns the description of an expected origin that travels at commit. Throws usage_error for a
/// rank outside the job.
chain_entry entry_of_origin(const context& ctx, int rank);

/// Throws chain_refusal naming both sides of the first mismatch. Of all ranks' refusals, the one of
/// the lowest order, and then of the lowest rank, is the one that a description by everyone gives.
void check_chain(const chain_description& chain);

/// Throws usage_error naming the first put that no transport of devices' memory can carry, because
/// its bytes are not contiguous at its target.
void refuse_on_devices(const chain_description& chain);

}  // namespace onehop
