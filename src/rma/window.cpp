#include <limits>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "rma/device_channels.hpp"
#include "rma/numbering.hpp"
#include "rma/window_state.hpp"

namespace onehop {
namespace {

void check_shape(const context& ctx, std::size_t bytes, int banks, int banks_of_first) {
  if (banks != 1 && banks != 2)
    throw usage_error(
        text("window of ", counted(banks, "bank"), " on rank ", ctx.rank(), ": give 1 or 2"));
  if (banks != banks_of_first)
    throw usage_error(text("window of ", counted(banks, "bank"), " on rank ", ctx.rank(),
                           " and of ", banks_of_first, " on rank 0: give the same number on all"));
  if (bytes > std::numeric_limits<std::size_t>::max() / 4)
    throw resource_error(text("window of ", bytes, " bytes on rank ", ctx.rank(),
                              " is larger than any memory: give fewer"));
}

}  // namespace

window window::allocate(const context& ctx, std::size_t bytes, int banks) {
  const std::vector<int> all_banks = allgather(ctx, banks);
  together(ctx,
           [&] { with_numbering(ctx, [&] { check_shape(ctx, bytes, banks, all_banks[0]); }); });
  std::vector<std::size_t> all_bytes = allgather(ctx, bytes);
  auto memory =
      exposed_memory::expose(ctx, state::bank_stride(bytes) * static_cast<std::size_t>(banks));
  return window(std::make_shared<state>(
      state{ctx, rank_table(std::move(all_bytes)), banks, std::move(memory)}));
}

window window::register_existing(const context& ctx, std::span<std::byte> memory) {
  std::vector<std::size_t> all_bytes = allgather(ctx, memory.size());
  std::uint8_t on_device = 0;
  together(ctx, [&] { on_device = onehop::on_device(ctx, memory.data()) ? 1 : 0; });
  auto name = exposed_memory::expose(ctx, 0);
  return window(
      std::make_shared<state>(state{ctx, rank_table(std::move(all_bytes)), 1, std::move(name), true,
                                    memory, rank_table(allgather(ctx, on_device))}));
}

std::size_t window::bytes(int rank) const {
  if (rank < 0 || rank >= state_->ctx.size())
    throw usage_error(
        text("window has no rank ", rank, ": give one from 0 to ", state_->ctx.size() - 1));
  return state_->bytes[static_cast<std::size_t>(rank)];
}

int window::banks() const noexcept { return state_->banks; }

bool window::on_device() const noexcept {
  const rank_table<std::uint8_t>& all = state_->on_device;
  return all.size() > 0 && all[static_cast<std::size_t>(state_->ctx.rank())] != 0;
}

std::span<std::byte> window::local(int bank) const {
  if (bank < 0 || bank >= state_->banks)
    throw usage_error(
        text("window has no bank ", bank, ": give one from 0 to ", state_->banks - 1));
  if (state_->registered) return state_->existing;
  const std::size_t mine = bytes(state_->ctx.rank());
  return state_->memory->local().subspan(static_cast<std::size_t>(bank) * state::bank_stride(mine),
                                         mine);
}

}  // namespace onehop
