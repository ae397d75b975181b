#include "rma/collective_stages.hpp"

#include <onehop/collective_stream.hpp>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "machine/copy_bytes.hpp"
#include "rma/combining.hpp"
#include "rma/mirrored.hpp"
#include "rma/waiter.hpp"

namespace onehop {
namespace {

window landing_zone(const context& ctx, device_worker* on, std::size_t bytes) {
  return on == nullptr ? window::allocate(ctx, bytes)
                       : window::register_existing(ctx, on->landing(bytes));
}

}  // namespace

std::size_t place_in(const block_table& blocks, int origin, int target) {
  constexpr std::size_t line = 64;
  std::size_t end = 0;
  for (int rank = 0; rank < origin; ++rank)
    if (rank != target) end += (blocks.size(rank, target) + line - 1) / line * line;
  return end;
}

collective_stage::collective_stage(const context& ctx, const block_table& blocks, device_worker* on,
                                   std::function<void(const collective_stage&)> take)
    : ctx_(ctx),
      on_(on),
      take_(std::move(take)),
      chain_(ctx, landing_zone(ctx, on, place_in(blocks, ctx.size(), ctx.rank()))),
      from_(static_cast<std::size_t>(ctx.size())) {
  const int ranks = ctx.size(), mine = ctx.rank();
  // Every rank begins with a different target, so that no target is the first of all ranks.
  for (int distance = 1; distance < ranks; ++distance) {
    const int peer = (mine + distance) % ranks;
    if (blocks.size(mine, peer) > 0)
      chain_.push({local_view::contiguous(blocks.source(peer)), peer,
                   blocks.place ? blocks.place(peer) : place_in(blocks, mine, peer)});
    if (blocks.size(peer, mine) > 0)
      from_[static_cast<std::size_t>(peer)] = chain_.add_origin(peer);
  }
  if (on_ == nullptr) {
    chain_.take_turns();
  } else {
    chain_.set_stream(on_->stream());
    chain_.wait_on_stream();
  }
  chain_.commit();
}

void collective_stage::copy(std::span<const std::byte> from, std::span<std::byte> to) const {
  if (to.empty()) return;
  on_ == nullptr ? copy_bytes(to.data(), from.data(), to.size()) : on_->copy(from, to.data());
}

void collective_stage::combine_up_to(std::span<const std::byte> own, std::span<std::byte> into,
                                     const combiner& how, int last) const {
  if (own.empty() || last < 0) return;
  if (on_ == nullptr) {
    if (own.data() != into.data()) copy_bytes(into.data(), own.data(), own.size());
    return combine_in_order(ctx_, into, how, last, [&](int rank) {
      return rank <= last ? arrived(rank).data() : nullptr;
    });
  }
  std::vector<const std::byte*> from;
  for (int rank = 0; rank <= last; ++rank)
    from.push_back(rank == ctx_.rank() ? own.data() : arrived(rank).data());
  on_->combine(from, static_cast<std::size_t>(ctx_.rank()), into, how);
}

void persistent_collective::state::start() {
  if (awaited)
    throw usage_error(text("rank ", ctx.rank(), ": start of a persistent ", name,
                           " that is under way: wait for it first"));
  if (worker || copies) require_stream(ctx);
  if (worker) return start_on_device();
  if (copies) copies->bring_out(*collective_stream(ctx));
  started = awaited = in_flight = true;
  now = 0;
  copying = copies != nullptr;
  begun = !copying;
  if (begun) stages.front().chain().start();
  if (copying || stages.size() > 1) transport_of(ctx).tasks().add(*this);
}

/// The streams wait for the exchanges, so the whole collective is enqueued here.
void persistent_collective::state::start_on_device() {
  worker->follow(*collective_stream(ctx));
  started = awaited = in_flight = copying = true;
  for (collective_stage& stage : stages) {
    stage.chain().start();
    stage.chain().wait();
    stage.take();
  }
  worker->mark();
  now = stages.size();
}

void persistent_collective::state::await_device() {
  if (copies) return await_copies(ctx, *copies);
  // If the stream waits for a rank that has failed, this releases it and reports which rank failed.
  for (collective_stage& stage : stages) stage.chain().synchronise();
  wait_until(
      ctx, [&] { return worker->done(); },
      [&] {
        return wait_report{text("in a persistent ", name, " on a device"),
                           {{ctx.rank(), "its device has not come to the end"}}};
      });
}

void persistent_collective::state::wait() {
  if (!awaited)
    throw usage_error(text("rank ", ctx.rank(), ": wait for a persistent ", name,
                           " that is not under way: start it first"));
  transport_of(ctx).tasks().remove(*this);
  while (in_flight) {
    if (copying) {
      await_device();
      finish_copies();
      continue;
    }
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
  if (++now < stages.size()) return;
  if (copies) copies->bring_in();
  copying = copies != nullptr;
  in_flight = copying;
}

void persistent_collective::state::finish_copies() {
  copying = false;
  in_flight = now < stages.size();
}

void persistent_collective::state::advance() {
  busy = true;
  while (in_flight) {
    if (copying) {
      transport_of(ctx).progress();
      if (!device_is_done()) break;
      finish_copies();
      continue;
    }
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
std::string persistent_collective::describe() const { return state_->where; }

}  // namespace onehop
