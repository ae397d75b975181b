#pragma once
/// Short blocks between the ranks travel in one round of the transport, longer ones by the exchange
/// of blocks.

#include <cstddef>
#include <cstdint>
#include <onehop/context.hpp>
#include <onehop/trace.hpp>
#include <span>

#include "rma/block_exchange.hpp"
#include "rma/rounds.hpp"

namespace onehop {

/// Calls `move` with the exchange of blocks. It first enters a round, which shows that all ranks
/// are here for the same operation. Collective.
template <class Move>
void in_blocks(const context& ctx, std::uint64_t tag, Move&& move) {
  const trace_span span(ctx.trace(), rounds::name_of(tag));
  rounds::enter(ctx, tag, {});
  rounds::hear_all(ctx, tag);
  move(exchange_of(ctx));
}

/// Sends block r of `send` to rank r, and receives block r of `receive` from rank r. `send` is no
/// longer than a message of a round. Collective.
void exchange_blocks(const context& ctx, std::span<const std::byte> send,
                     std::span<std::byte> receive);

}  // namespace onehop
