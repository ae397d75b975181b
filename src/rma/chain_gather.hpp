#pragma once
/// Commit gathers here what a rank must know of the other ranks' descriptions of a chain.

#include <cstdint>
#include <vector>

#include "rma/chain_description.hpp"
#include "rma/window_state.hpp"

namespace onehop {

/// Returns as much of the chain as this rank, which described `entries` and `starts`, must know.
/// This is the lists of its partners, which it puts to or receives from. If some window is
/// registered, or some put has gaps or is on a device, planning needs all lists, and all are
/// returned. Collective. Throws chain_error on all ranks if they name different windows.
chain_description gather_chain(const context& ctx, const window::state& into,
                               const std::vector<chain_entry>& entries,
                               const std::vector<std::uint64_t>& starts);

}  // namespace onehop
