#pragma once
/// What is pushed to a chain is looked at here, before commit sees it.

#include <onehop/context.hpp>
#include <onehop/put_chain.hpp>

#include "rma/chain_description.hpp"

namespace onehop {

/// Returns how the put travels at commit. Throws usage_error for one that cannot be.
chain_entry entry_of(const context& ctx, const put& description);

/// Returns how an expected origin travels at commit. Throws usage_error for a rank outside the job.
chain_entry entry_of_origin(const context& ctx, int rank);

}  // namespace onehop
