#include <algorithm>
#include <onehop/put_chain.hpp>

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/trace.hpp>

#include "base/text.hpp"
#include "rma/autotune.hpp"
#include "rma/chain_check.hpp"
#include "rma/put_chain_state.hpp"

namespace onehop {
put_chain::put_chain(const context& ctx, const window& target_memory)
    : state_(state::make(ctx, target_memory)), views_(state_.get()) {
  if (&transport_of(target_memory.shared()->ctx) != &transport_of(ctx))
    throw usage_error(text("rank ", ctx.rank(),
                           ": the window of a put chain belongs to another job: give one "
                           "allocated with the chain's context"));
}

put_chain::~put_chain() = default;
// The chain that was moved from gets a new state, so that using it is an error instead of a crash.
put_chain::put_chain(put_chain&& other) noexcept
    : state_(std::exchange(other.state_, state::make(other.state_->ctx, other.state_->target))),
      views_(state_.get()) {
  other.views_ = other.state_.get();
}
put_chain& put_chain::operator=(put_chain&& other) noexcept {
  if (this == &other) return *this;
  state_ = std::exchange(other.state_, state::make(other.state_->ctx, other.state_->target));
  views_ = state_.get();
  other.views_ = other.state_.get();
  return *this;
}

put_slot put_chain::push(const put& description) {
  state_->require_open("push");
  if (state_->device.stream) state_->refuse_managed("the source of a put", description.source.data);
  state_->entries.push_back(entry_of(state_->ctx, description));
  state_->starts.insert(state_->starts.end(), description.remote_starts.begin(),
                        description.remote_starts.end());
  state_->sources.push_back(description.source);
  return {static_cast<int>(state_->sources.size()) - 1, state_->name};
}

notification put_chain::add_origin(int rank) {
  state_->require_open("add_origin");
  state_->entries.push_back(entry_of_origin(state_->ctx, rank));
  state_->origins.push_back(rank);
  return {static_cast<int>(state_->origins.size()) - 1, state_->name};
}

void put_chain::take_turns() {
  state_->require_open("take_turns");
  state_->in_turns = true;
}

void put_chain::set_bytes(put_slot slot, std::size_t bytes) {
  state& s = *state_;
  s.require_committed("set_bytes");
  const std::size_t put = s.checked(slot);
  const bool too_late = s.in_flight && !s.is_held(put);
  if (!s.plan.puts[put].variable || too_late || bytes > s.sources[put].bytes())
    s.refuse_bytes(put, bytes);
  (*s.plan.sizes)[put] = bytes;
}

void put_chain::commit() {
  state& s = *state_;
  s.require_open("commit");
  autotune_channels(s.ctx);
  {
    const chain_description chain = s.plan_with_partners();
    if (touches_devices(chain)) return s.commit_on_devices(chain);
    if (chain.seen_by == chain_description::everyone) s.make_plan(chain);
  }
  // Arrivals in the landing zone are copied home before the caller can pack again.
  s.plan.in_turns = s.in_turns || s.landing;
  transport& via = transport_of(s.ctx);
  s.memory = exposed_memory::expose(s.ctx, via.endpoint_bytes(s.plan));
  std::unique_ptr<endpoint> runner;
  together(s.ctx, [&] {
    s.seen.assign(s.origins.size(), 0);
    s.find_ghosts();
    runner = via.make_endpoint(s.plan, s.destination().id(), s.memory->id());
  });
  s.runner = std::move(runner);
  s.owner = this_caller();
  s.find_packings();
  // This number of looks takes about as long as fetching a cache line from another core of the
  // machine.
  s.eager_looks = via.crowded() ? 1 : 200;
}

// start and wait are short if nothing has to be waited for. The processor then reads ahead into the
// faces while the flag that announces them is still on its way.
void put_chain::start() {
  state& s = *state_;
  if (!s.runner || s.in_flight || s.owner != this_caller()) s.refuse_start();
  if (s.device.endpoint != nullptr) [[unlikely]]
    s.follow_stream();
  s.in_flight = true;
  ++s.exchange;
  if (trace* const recorder = s.ctx.trace()) [[unlikely]]
    return s.start_recorded(*recorder);
  if (!s.runner->start(s.exchange)) s.await_start();
}

bool put_chain::can_start() {
  state& s = *state_;
  s.require_committed("can_start");
  s.require_owner("can_start");
  if (s.in_flight) return false;
  if (s.runner->ready(s.exchange + 1)) return true;
  transport_of(s.ctx).progress();
  return s.runner->ready(s.exchange + 1);
}

void put_chain::wait() {
  state& s = *state_;
  if (!s.in_flight || s.owner != this_caller()) s.refuse_wait();
  if (s.in_part) [[unlikely]]
    s.require_all_ready();
  if (trace* const recorder = s.ctx.trace()) [[unlikely]] {
    s.wait_recorded(*recorder);
  } else {
    for (int look = 1; !s.complete(); ++look) {
      if (look < s.eager_looks) continue;
      s.await_all();
      break;
    }
  }
  s.in_flight = false;
}

void put_chain::wait(notification arrival) {
  state& s = *state_;
  s.require_started("wait");
  s.require_owner("wait");
  const std::size_t index = s.checked(arrival);
  const trace_span span(s.ctx.trace(), "wait for face", s.exchange, s.origins[index]);
  wait_until(
      s.ctx, [&] { return s.here(index); }, [&] { return s.absent(); });
}

std::size_t put_chain::wait_any(std::span<const notification> arrivals) {
  state_->await_one_of("wait_any", arrivals);
  const auto seen = std::ranges::find_if(arrivals, [&](auto one) { return state_->here(one); });
  return static_cast<std::size_t>(seen - arrivals.begin());
}

std::size_t put_chain::wait_some(std::span<notification> arrivals) {
  state_->await_one_of("wait_some", arrivals);
  const auto awaited =
      std::ranges::stable_partition(arrivals, [&](auto one) { return state_->here(one); });
  return arrivals.size() - awaited.size();
}

bool put_chain::test() {
  state& s = *state_;
  s.require_started("test");
  s.require_owner("test");
  if (!s.in_flight) return true;
  transport_of(s.ctx).progress();
  s.in_flight = !s.complete();
  return !s.in_flight;
}

bool put_chain::test(notification arrival) {
  state& s = *state_;
  s.require_started("test");
  s.require_owner("test");
  const std::size_t index = s.checked(arrival);
  transport_of(s.ctx).progress();
  return s.here(index);
}

bool put_chain::source_free(put_slot slot) const {
  state_->require_committed("source_free");
  const std::size_t put = state_->checked(slot);
  return !state_->in_flight || state_->runner->source_free(put, state_->exchange);
}

void put_chain::refuse_target_view(put_slot slot) const {
  const state& s = *state_;
  s.require_committed("target_view");
  const std::size_t put = s.checked(slot);
  if (s.sources[put].data != nullptr)
    throw usage_error(text("rank ", s.ctx.rank(), ": target_view of put ", put,
                           ", which has a source of its own: describe it with put::packed"));
  throw usage_error(text("rank ", s.ctx.rank(), ": target_view of put ", put, " while exchange ",
                         s.exchange, " is in flight: wait for it first"));
}

void put_chain::refuse_arrived(notification arrival) const {
  const state& s = *state_;
  s.require_started("arrived");
  const std::size_t index = s.checked(arrival);
  throw usage_error(text("rank ", s.ctx.rank(), ": arrived of notification ", index, " from rank ",
                         s.origins[index], " before exchange ", s.exchange,
                         " brought it: wait for it first"));
}

void put_chain::set_stream(void* stream) {
  if (state_->in_flight)
    throw usage_error(text("rank ", state_->ctx.rank(), ": set_stream while exchange ",
                           state_->exchange, " of the put chain is in flight: wait for it first"));
  // A later stream concerns the same memory, which was checked for the first one.
  if (!state_->device.stream) state_->refuse_managed();
  state_->device.stream = stream;
}

void put_chain::wait_on_stream() {
  state_->require_open("wait_on_stream");
  state_->device.wants_stream = true;
}

bool put_chain::waits_on_stream() const {
  state_->require_committed("waits_on_stream");
  return state_->device.endpoint != nullptr && state_->device.endpoint->on_stream();
}

void put_chain::synchronise() {
  state_->require_committed("synchronise");
  state_->require_owner("synchronise");
  if (waits_on_stream()) state_->await_stream();
}

bool put_chain::arrives_on_device() const noexcept { return state_->target.on_device(); }

bool put_chain::direct(put_slot slot) const {
  state_->require_committed("direct");
  return state_->runner->direct(state_->checked(slot));
}

bool put_chain::streaming(put_slot slot) const {
  state_->require_committed("streaming");
  return state_->runner->streaming(state_->checked(slot));
}

void put_chain::clear() {
  state& s = *state_;
  if (s.runner) s.require_owner("clear");
  if (s.in_flight)
    throw usage_error(text("rank ", s.ctx.rank(), ": clear while exchange ", s.exchange,
                           " of the put chain is in flight: wait for it first"));
  state_ = s.described_anew();
  views_ = state_.get();
}

std::string put_chain::describe() const {
  const state& s = *state_;
  s.require_committed("describe");
  const std::string_view home =
      s.landing && s.device.endpoint == nullptr ? "; the target copies it home\n" : "\n";
  std::string lines;
  for (std::size_t put = 0; put < s.sources.size(); ++put)
    lines +=
        text("put ", put, ": ", s.plan.puts[put].variable ? "up to " : "", s.sources[put].bytes(),
             " bytes to rank ", s.plan.puts[put].target, ", ", s.runner->describe(put), home);
  return lines;
}

}  // namespace onehop
