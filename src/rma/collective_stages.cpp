#include "rma/collective_stages.hpp"

#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop {
namespace {

/// Returns where the block of `origin` begins in the window of `target`, or the end for the number
/// of ranks.
std::size_t place(const block_table& blocks, int origin, int target) {
  constexpr std::size_t line = 64;
  std::size_t end = 0;
  for (int rank = 0; rank < origin; ++rank)
    if (rank != target) end += (blocks.size(rank, target) + line - 1) / line * line;
  return end;
}

}  // namespace

collective_stage::collective_stage(const context& ctx, const block_table& blocks,
                                   std::function<void(const collective_stage&)> take)
    : take_(std::move(take)),
      chain_(ctx, window::allocate(ctx, place(blocks, ctx.size(), ctx.rank()))),
      from_(static_cast<std::size_t>(ctx.size())) {
  const int ranks = ctx.size(), mine = ctx.rank();
  // Every rank begins with another target, so that no rank is everybody's first.
  for (int distance = 1; distance < ranks; ++distance) {
    const int to = (mine + distance) % ranks, from = (mine + ranks - distance) % ranks;
    if (blocks.size(mine, to) > 0)
      chain_.push({local_view::contiguous(blocks.source(to)), to, place(blocks, mine, to)});
    if (blocks.size(from, mine) > 0)
      from_[static_cast<std::size_t>(from)] = chain_.add_origin(from);
  }
  chain_.take_turns();
  chain_.commit();
}

void persistent_collective::state::start() {
  if (awaited)
    throw usage_error(text("rank ", ctx.rank(), ": start of a persistent ", name,
                           " that is under way: wait for it first"));
  started = awaited = in_flight = begun = true;
  now = 0;
  stages.front().chain().start();
  if (stages.size() > 1) transport_of(ctx).tasks().add(*this);
}

void persistent_collective::state::wait() {
  if (!awaited)
    throw usage_error(text("rank ", ctx.rank(), ": wait for a persistent ", name,
                           " that is not under way: start it first"));
  transport_of(ctx).tasks().remove(*this);
  while (in_flight) {
    if (!begun) stages[now].chain().start();
    begun = true;
    stages[now].chain().wait();
    finish_stage();
  }
  awaited = false;
}

bool persistent_collective::state::test() {
  if (!started)
    throw usage_error(text("rank ", ctx.rank(), ": test of a persistent ", name,
                           " that was never started: start it first"));
  advance();
  awaited = in_flight;
  return !in_flight;
}

void persistent_collective::state::finish_stage() {
  stages[now].take();
  begun = false;
  if (++now == stages.size()) in_flight = false;
}

void persistent_collective::state::advance() {
  busy = true;
  while (in_flight) {
    put_chain& chain = stages[now].chain();
    if (!begun) {
      if (!chain.can_start()) break;
      chain.start();
      begun = true;
    }
    if (!chain.test()) break;
    finish_stage();
  }
  busy = false;
}

bool persistent_collective::state::progress() {
  if (!busy) advance();
  return in_flight;
}

persistent_collective::persistent_collective(std::unique_ptr<state> made)
    : state_(std::move(made)) {}
persistent_collective::~persistent_collective() = default;
persistent_collective::persistent_collective(persistent_collective&&) noexcept = default;
persistent_collective& persistent_collective::operator=(persistent_collective&&) noexcept = default;

void persistent_collective::start() { state_->start(); }
void persistent_collective::wait() { state_->wait(); }
bool persistent_collective::test() { return state_->test(); }

}  // namespace onehop
