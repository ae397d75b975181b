#include "rma/exposed_memory.hpp"

#include <algorithm>
#include <onehop/collectives.hpp>
#include <optional>

#include "rma/gather.hpp"

namespace onehop {
namespace {

/// Withdraws the memory that every rank has released, in the same order on all ranks.
void withdraw_released(const context& ctx) {
  std::vector<memory_id>& released = transport_of(ctx).released();
  std::ranges::sort(released);
  std::vector<memory_id> common = released;
  for (const std::vector<memory_id>& theirs : gather_lists(ctx, released))
    std::erase_if(common, [&](memory_id id) { return !std::ranges::binary_search(theirs, id); });
  if (common.empty()) return;
  for (const memory_id id : common) transport_of(ctx).withdraw(id);
  std::erase_if(released, [&](memory_id id) { return std::ranges::binary_search(common, id); });
  // Each rank gives back its own pages, and no rank may reserve them again before all have done so.
  barrier(ctx);
}

}  // namespace

/// If this fails on any rank, the other ranks release the memory that they have exposed.
std::shared_ptr<exposed_memory> exposed_memory::make(const context& ctx,
                                                     const std::function<memory_id()>& expose) {
  transport& via = transport_of(ctx);
  std::optional<memory_id> id;
  try {
    together(ctx, [&] {
      id = expose();
      // Dropping the handle must not fail because memory is short, so the room is reserved now.
      via.released().reserve(via.released().size() + *id + 1);
    });
  } catch (...) {
    if (id) via.withdraw(*id);
    throw;
  }
  return std::shared_ptr<exposed_memory>(new exposed_memory(ctx, *id));
}

std::shared_ptr<exposed_memory> exposed_memory::expose(const context& ctx, std::size_t my_bytes) {
  withdraw_released(ctx);
  const std::vector<std::size_t> bytes = allgather(ctx, my_bytes);
  return make(ctx, [&] { return transport_of(ctx).expose(bytes); });
}

std::shared_ptr<exposed_memory> exposed_memory::expose_existing(const context& ctx,
                                                                std::span<std::byte> mine) {
  withdraw_released(ctx);
  return make(ctx, [&] { return transport_of(ctx).expose_existing(mine).value(); });
}

std::shared_ptr<exposed_memory> exposed_memory::divide(const context& ctx, const partition& how) {
  withdraw_released(ctx);
  return make(ctx, [&] { return transport_of(ctx).divide(how); });
}

exposed_memory::~exposed_memory() { transport_of(ctx_).released().push_back(id_); }

}  // namespace onehop
