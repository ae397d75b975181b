#pragma once
/// Commit gathers here what a rank has to know of the others' descriptions of a chain.

#include <cstdint>
#include <vector>

#include "rma/chain_description.hpp"
#include "rma/window_state.hpp"

namespace onehop {

/// Returns the chain as this rank, which described `entries` and `starts`, has to know it: the
/// lists of its partners, which it puts to or hears from; those of everyone where some window or
/// put takes more to plan, since it is registered, has gaps or is on a device. Collective. Throws
/// chain_error on all ranks where they name different windows.
chain_description gather_chain(const context& ctx, const window::state& into,
                               const std::vector<chain_entry>& entries,
                               const std::vector<std::uint64_t>& starts);

}  // namespace onehop
