#pragma once
/// An alltoall in one round of the transport.

#include <cstddef>
#include <onehop/context.hpp>
#include <span>

namespace onehop {

/// Collective. Block r of `send` goes to rank r, block r of `receive` comes from it; `send` is no
/// longer than a message of a round.
void exchange_blocks(const context& ctx, std::span<const std::byte> send,
                     std::span<std::byte> receive);

}  // namespace onehop
