// An exchange that is started in part fires each put once its caller says that its bytes are ready.

#include <onehop/error.hpp>
#include <onehop/trace.hpp>

#include "base/text.hpp"
#include "rma/put_chain_state.hpp"

namespace onehop {

void put_chain::start_partial() {
  state& s = *state_;
  if (!s.runner || s.in_flight || s.owner != this_caller()) s.refuse_start();
  if (s.device.endpoint != nullptr)
    throw usage_error(text("rank ", s.ctx.rank(),
                           ": start_partial of a put chain with memory of devices, whose puts "
                           "leave in the order of a stream: call start"));
  s.in_flight = true;
  ++s.exchange;
  s.start_held();
}

void put_chain::ready(put_slot slot) {
  state& s = *state_;
  s.require_committed("ready");
  s.require_owner("ready");
  const std::size_t put = s.checked(slot);
  if (!s.is_held(put)) s.refuse_ready(put);
  s.release(put);
}

std::span<std::byte> put_chain::held_packing(put_slot slot) const {
  const state& s = *state_;
  if (!s.is_held(s.checked(slot))) refuse_target_view(slot);
  return packing(slot, s.exchange);
}

void put_chain::state::refuse_ready(std::size_t put) const {
  const std::string call = text("rank ", ctx.rank(), ": ready of put ", put);
  if (!in_flight)
    throw usage_error(call + " of a put chain that is not under way: call start_partial first");
  throw usage_error(text(call, ", which exchange ", exchange,
                         " has sent already: name each put once after start_partial"));
}

void put_chain::state::require_all_ready() const {
  for (std::size_t put = 0; put < sources.size(); ++put)
    if (is_held(put))
      throw usage_error(text("rank ", ctx.rank(), ": wait for exchange ", exchange,
                             ", of which put ", put,
                             " has not been made ready: call ready(slot) "
                             "for every put first"));
}

void put_chain::state::start_held() {
  const trace_span span(ctx.trace(), "start", exchange);
  plan.held->marks.assign(sources.size(), 1);
  plan.held->count = sources.size();
  in_part = !runner->start(exchange);
  if (in_part) transport_of(ctx).tasks().add(*this);
}

void put_chain::state::release(std::size_t put) {
  plan.held->marks[put] = 0;
  --plan.held->count;
  if (trace* const recorder = ctx.trace()) [[unlikely]] {
    const std::int64_t now = recorder->now_ns();
    const planned_put& sent = plan.puts[put];
    recorder->add({"put", now, now, exchange, sent.target, memory->id(), sent.arrival});
  }
  if (!progress()) transport_of(ctx).tasks().remove(*this);
}

bool put_chain::state::progress() {
  in_part = !runner->start(exchange);
  return in_part;
}

}  // namespace onehop
