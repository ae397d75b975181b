#include "benchmarks/hand_memory.hpp"

#include <sched.h>

#include <algorithm>
#include <onehop/error.hpp>
#include <onehop/put_chain.hpp>

#include "base/text.hpp"
#include "transport/base/transport.hpp"

namespace onehop::bench {
namespace {

constexpr std::size_t line = 64;

std::size_t lines_of_all(const context& ctx) { return line * static_cast<std::size_t>(ctx.size()); }

}  // namespace

// A packed put reports where the target's memory is. A window is contiguous, so that this address
// determines all others.
hand_memory::hand_memory(const context& ctx, std::size_t bytes)
    : ctx_(ctx), memory_(window::allocate(ctx, std::max(bytes, lines_of_all(ctx)))) {
  put_chain locator(ctx, memory_);
  const std::size_t place = line * static_cast<std::size_t>(ctx.rank());
  std::vector<put_slot> slots;
  for (int rank = 0; rank < ctx.size(); ++rank) {
    slots.push_back(locator.push(put::packed(line, rank, place)));
    locator.add_origin(rank);
  }
  locator.commit();
  for (const put_slot slot : slots)
    if (!locator.direct(slot))
      throw usage_error(text("loops by hand need memory that all ranks share, which transport ",
                             ctx.transport(), " has not: compare them on self or shm"));
  for (const put_slot slot : slots) base_.push_back(locator.target_view(slot).data() - place);
}

void give_way(const context& ctx, int turn) {
  sched_yield();
  if (turn % 1000 != 0) return;
  failure_of(ctx).poll();
  failure_of(ctx).probe();
}

}  // namespace onehop::bench
