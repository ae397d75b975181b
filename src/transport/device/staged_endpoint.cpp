#include "transport/device/staged_endpoint.hpp"

#include <algorithm>
#include <cstring>
#include <onehop/collectives.hpp>

#include "base/text.hpp"
#include "rma/window_state.hpp"

namespace onehop {
namespace {

/// Pieces in pinned memory share neither cache lines nor pairs of them.
constexpr std::size_t line = 128;

std::size_t padded(std::size_t bytes) { return (bytes + line - 1) / line * line; }

}  // namespace

std::unique_ptr<staged_endpoint> staged_endpoint::make(const context& ctx,
                                                       const staged_route& route, part mine) {
  std::unique_ptr<staged_endpoint> made(new staged_endpoint(ctx, std::move(mine)));
  together(ctx, [&] { made->add_puts(route); });
  for (std::size_t number = 0; number < route.stages(); ++number) {
    stage_plan planned = route.plan(number, ctx.rank(), made->sources_of(number));
    auto own = exposed_memory::expose(ctx, transport_of(ctx).endpoint_bytes(planned.plan));
    together(ctx, [&] { made->add_stage(std::move(planned), std::move(own)); });
  }
  made->add_grants(route);
  together(ctx, [&] { made->prepare_device(); });
  return made;
}

staged_endpoint::~staged_endpoint() { transport_of(ctx_).tasks().remove(*this); }

void staged_endpoint::add_puts(const staged_route& route) {
  std::size_t staged = 0;
  for (const carried_put& put : route.puts()) {
    if (put.edge.origin == ctx_.rank()) {
      outgoing& added = puts_.emplace_back();
      added.how = put;
      if (put.by_peer)
        added.window =
            mine_.links[static_cast<std::size_t>(put.edge.target)].window + put.edge.offset;
      else if (put.from_device)
        staged += padded(put.edge.bytes);
    }
    if (put.edge.target != ctx_.rank()) continue;
    const auto index = static_cast<std::size_t>(put.edge.arrival);
    arrivals_.resize(std::max(arrivals_.size(), index + 1));
    arrivals_[index].how = put;
    if (put.to_device && !put.by_peer) arrivals_[index].home = mine_.homes[index];
  }
  if (staged == 0) return;
  staging_ = device::pinned_memory(mine_.owner, staged);
  std::byte* next = staging_.data();
  for (outgoing& put : puts_)
    if (put.how.from_device && !put.how.by_peer) {
      put.staging = next;
      next += padded(put.how.edge.bytes);
    }
}

std::vector<local_view> staged_endpoint::sources_of(std::size_t number) const {
  std::vector<local_view> pieces;
  for (std::size_t put = 0; put < puts_.size(); ++put) {
    const outgoing& out = puts_[put];
    local_view source = mine_.sources[put];
    if (out.how.by_peer)
      source = local_view::contiguous(std::as_bytes(std::span(&out.sent, 1)));
    else if (const auto piece = staged_route::piece(out.how, number);
             piece && (out.how.from_device || out.how.pieces > 1)) {
      const std::byte* const begin = out.how.from_device ? out.staging : source.data;
      source = {begin + piece->first, piece->bytes, 1, 0};
    }
    pieces.push_back(source);
  }
  return pieces;
}

void staged_endpoint::add_stage(stage_plan planned, std::shared_ptr<exposed_memory> own) {
  const std::size_t number = stages_.size();
  stage& added = stages_.emplace_back();
  for (std::size_t index = 0; index < planned.puts.size(); ++index) {
    outgoing& put = puts_[planned.puts[index]];
    put.legs.push_back({number, index});
    if (put.how.from_device)
      (put.how.by_peer ? added.peers : added.copies).push_back(planned.puts[index]);
  }
  for (std::size_t index = 0; index < planned.arrivals.size(); ++index)
    arrivals_[planned.arrivals[index]].legs.push_back({number, index});
  added.own = std::move(own);
  added.sizes = planned.plan.sizes;
  added.runner = transport_of(ctx_).make_endpoint(std::move(planned.plan), mine_.destination->id(),
                                                  added.own->id());
}

void staged_endpoint::add_grants(const staged_route& route) {
  if (!route.any_by_peer()) return;
  const auto bytes = route.grant_bytes(ctx_.size());
  const std::size_t mine = bytes[static_cast<std::size_t>(ctx_.rank())];
  granted_to_ = exposed_memory::expose(ctx_, 2 * window::state::bank_stride(mine));
  const local_view word = local_view::contiguous(std::as_bytes(std::span(&word_, 1)));
  stage_plan planned = route.grants(ctx_.rank(), ctx_.size(), word);
  grants_.own = exposed_memory::expose(ctx_, transport_of(ctx_).endpoint_bytes(planned.plan));
  for (std::size_t index = 0; index < planned.arrivals.size(); ++index)
    puts_[planned.arrivals[index]].grant = index;
  grants_given_ = planned.plan.puts.size();
  together(ctx_, [&] {
    grants_.runner = transport_of(ctx_).make_endpoint(std::move(planned.plan), granted_to_->id(),
                                                      grants_.own->id());
  });
}

void staged_endpoint::prepare_device() {
  if (!on_device()) return;
  device_.emplace(mine_.owner);
  for (outgoing& put : puts_)
    if (put.how.by_peer) put.written_at.emplace(mine_.owner);
  bool lands = false;
  for (incoming& from : arrivals_)
    if (from.home != nullptr) {
      lands = true;
      from.home_at.emplace(mine_.owner);
    }
  for (stage& one : stages_)
    if (!one.copies.empty()) one.copied.emplace(mine_.owner);
  if (lands) landing_ = device::pinned_pages(mine_.owner, mine_.destination->local());
}

void staged_endpoint::follow(void* stream) {
  device_->followed.set(static_cast<device::driver::stream>(stream));
  device_->out.follow(device_->followed);
  // The copies follow the stream as well, because arrivals overwrite what the stream may still
  // read.
  device_->in.follow(device_->followed);
}

bool staged_endpoint::start(std::uint64_t exchange) {
  if (exchange_ != exchange) {
    exchange_ = exchange;
    begun_ = fired_ = 0;
    granting_ = false;
    granted_ = !grants_.runner;
    for (incoming& from : arrivals_) from.taken = from.bytes = 0;
    set_sizes();
    copy_out();
    transport_of(ctx_).tasks().add(*this);
  }
  progress();
  return true;
}

void staged_endpoint::set_sizes() {
  for (std::size_t put = 0; put < puts_.size(); ++put) {
    outgoing& out = puts_[put];
    out.written = false;
    out.sent = (*mine_.sizes)[put];
    if (!out.how.edge.variable || out.how.by_peer) continue;
    for (const leg& one : out.legs)
      (*stages_[one.stage].sizes)[one.index] =
          staged_route::piece(out.how, one.stage)->of(out.sent);
  }
}

void staged_endpoint::copy_out() {
  for (std::size_t number = 0; number < stages_.size(); ++number) {
    stage& one = stages_[number];
    for (const std::size_t put : one.copies) {
      const local_view& source = mine_.sources[put];
      const put_piece piece = *staged_route::piece(puts_[put].how, number);
      if (const std::size_t bytes = piece.of(puts_[put].sent); bytes > 0)
        device_->out.bring_out(view_of(source, mine_.packings[put]), piece.first, bytes,
                               puts_[put].staging + piece.first);
    }
    if (one.copied) device_->out.mark(*one.copied);
  }
}

bool staged_endpoint::progress() {
  if (!granted_) grant();
  if (granting_) write_peers();
  while (fired_ < stages_.size()) {
    stage& next = stages_[fired_];
    if (!is_ready(next)) break;
    begun_ = fired_ + 1;
    if (!next.runner->start(exchange_)) break;
    ++fired_;
  }
  for (incoming& from : arrivals_) take_in(from);
  return fired_ < stages_.size() || !granted_;
}

// Only this place waits for grants. No wait of a chain covers them, and a message may not be sent
// again while it is under way.
bool staged_endpoint::last_grants_left() const {
  for (std::size_t put = 0; exchange_ > 1 && put < grants_given_; ++put)
    if (!grants_.runner->source_free(put, exchange_ - 1)) return false;
  return true;
}

// A window may be written once the caller's stream has read the previous arrivals.
void staged_endpoint::grant() {
  if (device_ && !device_->followed.reached()) return;
  if (!granting_ && !last_grants_left()) return;
  granting_ = true;
  granted_ = grants_.runner->start(exchange_);
}

void staged_endpoint::write_peers() {
  for (std::size_t put = 0; put < puts_.size(); ++put) {
    outgoing& out = puts_[put];
    if (!out.how.by_peer || out.written || !grants_.runner->arrived(out.grant, exchange_)) continue;
    const local_view& source = mine_.sources[put];
    if (out.sent > 0) device_->out.copy(view_of(source, mine_.packings[put]), out.sent, out.window);
    device_->out.mark(*out.written_at);
    out.written = true;
  }
}

bool staged_endpoint::is_ready(const stage& next) const {
  if (next.copied && !next.copied->reached()) return false;
  return std::ranges::all_of(next.peers, [&](std::size_t put) {
    return puts_[put].written && puts_[put].written_at->reached();
  });
}

const std::byte* staged_endpoint::landed(const incoming& from) const {
  const std::size_t bank = exchange_ % 2 == 0 ? mine_.bank_stride : 0;
  return mine_.destination->local().data() + bank + from.how.place;
}

std::size_t staged_endpoint::brought_by(const incoming& from, const leg& one) const {
  if (from.how.by_peer) {
    std::uint64_t sent = 0;
    std::memcpy(&sent, landed(from), sizeof sent);
    return sent;
  }
  if (from.how.edge.variable) return stages_[one.stage].runner->arrived_bytes(one.index, exchange_);
  return staged_route::piece(from.how, one.stage)->bytes;
}

void staged_endpoint::take_in(incoming& from) {
  while (from.taken < from.legs.size()) {
    const leg& next = from.legs[from.taken];
    if (next.stage >= begun_ || !stages_[next.stage].runner->arrived(next.index, exchange_)) return;
    ++from.taken;
    const std::size_t bytes = brought_by(from, next);
    from.bytes += bytes;
    if (from.home == nullptr) continue;
    const std::size_t first = staged_route::piece(from.how, next.stage)->first;
    if (bytes > 0) device_->in.bring_in(from.home + first, landed(from) + first, bytes);
    if (from.taken == from.legs.size()) device_->in.mark(*from.home_at);
  }
}

bool staged_endpoint::fired(std::size_t put, std::uint64_t exchange) const {
  return std::ranges::all_of(puts_[put].legs, [&](const leg& one) {
    return one.stage < begun_ && stages_[one.stage].runner->fired(one.index, exchange);
  });
}

bool staged_endpoint::arrived(std::size_t arrival, std::uint64_t) {
  progress();
  const incoming& from = arrivals_[arrival];
  return from.taken == from.legs.size() && (!from.home_at || from.home_at->reached());
}

std::uint64_t staged_endpoint::last_arrived(std::size_t arrival) const {
  std::uint64_t last = exchange_;
  for (const leg& one : arrivals_[arrival].legs)
    last = std::min(last, stages_[one.stage].runner->last_arrived(one.index));
  return last;
}

bool staged_endpoint::source_free(std::size_t put, std::uint64_t exchange) {
  progress();
  return std::ranges::all_of(puts_[put].legs, [&](const leg& one) {
    return one.stage < begun_ && stages_[one.stage].runner->source_free(one.index, exchange);
  });
}

std::byte* staged_endpoint::packing_memory(std::size_t put, std::uint64_t exchange) {
  const leg& only = puts_[put].legs.front();
  return stages_[only.stage].runner->packing_memory(only.index, exchange);
}

bool staged_endpoint::direct(std::size_t put) const {
  const leg& first = puts_[put].legs.front();
  return !puts_[put].how.from_device && stages_[first.stage].runner->direct(first.index);
}

bool staged_endpoint::streaming(std::size_t put) const {
  const leg& first = puts_[put].legs.front();
  return stages_[first.stage].runner->streaming(first.index);
}

const ipc_link& staged_endpoint::link_to(std::size_t put) const {
  return mine_.links[static_cast<std::size_t>(puts_[put].how.edge.target)];
}

}  // namespace onehop
