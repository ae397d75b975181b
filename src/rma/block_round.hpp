#pragma once
/// A short alltoall takes one round of the transport.

#include <cstddef>
#include <onehop/context.hpp>
#include <span>

namespace onehop {

/// Sends block r of `send` to rank r, from which block r of `receive` comes; `send` is no longer
/// than a message of a round. Collective.
void exchange_blocks(const context& ctx, std::span<const std::byte> send,
                     std::span<std::byte> receive);

}  // namespace onehop
