#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "gpu/place.hpp"
#include "rma/put_chain_state.hpp"

namespace onehop {
namespace {

/// Ranks that cut otherwise would not meet.
std::size_t common_block(const context& ctx) {
  std::size_t mine = 0;
  together(ctx, [&] { mine = environment::read().card_block; });
  const std::vector<std::size_t> all = allgather(ctx, mine);
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0])
      throw usage_error(text("ONEHOP_CARD_BLOCK is ", all[0], " on rank 0 and ", all[rank],
                             " on rank ", rank, ": give the same on all ranks"));
  return mine;
}

}  // namespace

gpu::driver::context put_chain::state::card_owner() const {
  gpu::driver::context found = nullptr;
  const auto add = [&](const std::byte* data) {
    const auto place = gpu::place_of(data);
    if (!place) return;
    if (found != nullptr && place->owner != found)
      throw usage_error(text("rank ", ctx.rank(),
                             ": a put chain with memory of two cards, or of two contexts of one: "
                             "give the window and the sources of a rank memory of one card"));
    found = place->owner;
  };
  for (const local_view& source : sources) add(source.data);
  if (target.on_card()) add(target.shared()->existing.data());
  return found;
}

void put_chain::state::commit_on_cards(chain_description chain) {
  if (!ctx.wire().takes_cards())
    throw usage_error(text("rank ", ctx.rank(), ": a put chain from or to a card's memory on ",
                           ctx.transport(), ", whose time is computed: give memory of the host"));
  card_engine::part mine;
  together(ctx, [&] { mine.owner = card_owner(); });
  const std::span<std::byte> on_card = target.on_card() ? target.local() : std::span<std::byte>();
  mine.links = link_cards(ctx, chain, on_card, mine.owner);
  make_plan(chain);
  const card_route route(chain, common_block(ctx));
  mine.sources = sources;
  mine.homes = homes;
  mine.destination = landing ? landing : target.shared()->memory;
  mine.bank_stride = plan.bank_stride[static_cast<std::size_t>(ctx.rank())];
  seen.assign(origins.size(), 0);
  find_ghosts();
  auto made = card_engine::make(ctx, route, std::move(mine));
  memory = made->name();
  cards = made.get();
  runner = std::move(made);
  owner = this_caller();
  find_packings();
}

void put_chain::state::follow_stream() {
  if (!cards->on_card()) return;
  if (!stream)
    throw usage_error(text("rank ", ctx.rank(),
                           ": start of a put chain from or to a card's memory without a stream: "
                           "name the stream that uses this memory with set_stream"));
  cards->follow(*stream);
}

}  // namespace onehop
