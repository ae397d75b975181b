// This file has the network's event loop and the check that nothing was lost.
#include "netsim/engine/network.hpp"

#include <array>
#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::netsim {

namespace {

const machine_description& checked(const machine_description& machine) {
  machine.check();
  return machine;
}

}  // namespace

network::network(const machine_description& machine, listener& hears, queue_kind how)
    : machine_(checked(machine)),
      hears_(hears),
      events_(how),
      servers_(machine_, trace_),
      rates_(machine_, events_, moving_),
      injectors_(machine_, events_, packets_, moving_, servers_, rates_, messages_),
      messages_(machine_, events_, moving_, servers_, injectors_, hears),
      ejectors_(machine_, events_, packets_, moving_, servers_, rates_, messages_),
      links_(machine_, events_, packets_, moving_, injectors_, trace_) {}

void network::alarm(picoseconds at, std::uint64_t token) {
  if (at < now()) throw usage_error(text("alarm at ", at, " ps, but it is ", now(), " ps already"));
  const auto index = alarms_.add();
  alarms_[index].token = token;
  events_.push(at, event_kind::alarm, index);
}

void network::ring(std::uint32_t index) {
  const auto token = alarms_[index].token;
  alarms_.remove(index);
  hears_.alarm(token);
}

void network::dispatch(const event& one) {
  const auto index = one.index();
  switch (one.kind()) {
    case event_kind::packet_at_router:
      return at_router(index);
    case event_kind::packet_at_origin_stage:
      return injectors_.at_stage(index);
    case event_kind::packet_at_target_stage:
      return ejectors_.at_stage(index);
    case event_kind::channel_has_credit:
      return links_.credit_is_back(index);
    case event_kind::message_step:
      return messages_.step(index, now());
    case event_kind::source_free:
      return messages_.source_free(index);
    case event_kind::alarm:
      return ring(index);
    case event_kind::notification:
      return rates_.notify(index);
    case event_kind::flow_is_due:
      return injectors_.flow_is_due(index);
  }
}

void network::at_router(std::uint32_t index) {
  if (packets_[index].link == no_index) injectors_.follow(index);
  if (!links_.forward(index)) {
    const packet arrived = packets_[index];
    links_.leave(arrived, ejectors_.take(index));
  }
  links_.send_queued();
}

// Prefetches what the next events will read: an event takes a few cache misses, and the coming
// events are known. Data prefetched a few events ago tell what else will be read.
void network::look_ahead() {
  constexpr std::array<std::size_t, 5> ahead{14, 9, 5, 3, 1};
  for (std::size_t step = 0; step < ahead.size(); ++step) {
    const auto* one = events_.glimpse(ahead[step]);
    if (one == nullptr) continue;
    switch (one->kind()) {
      case event_kind::packet_at_router:
        prefetch_hop(packets_[one->index()], step);
        break;
      case event_kind::channel_has_credit:
        prefetch_channel(links_.channel_at(one->index()), step);
        break;
      case event_kind::message_step:
      case event_kind::source_free:
        if (step == 0) prefetch_all(moving_[one->index()]);
        break;
      default:
        break;
    }
  }
}

void network::prefetch_hop(const packet& one, std::size_t step) {
  switch (step) {
    case 0:
      return __builtin_prefetch(&one);
    case 1:
      if (one.link != no_index) return links_.prefetch_links(one);
      return prefetch_all(moving_[one.message]);
    case 2:
      if (one.link == no_index) injectors_.prefetch(moving_[one.message]);
      if (!links_.prefetch(one)) ejectors_.prefetch(moving_[one.message]);
      return;
    default:
      // A packet that leaves a channel releases the first packet waiting for its credit.
      if (one.link != no_index) prefetch_channel({one.link, one.channel}, step - 2);
  }
}

void network::prefetch_channel(hop of, std::size_t step) {
  if (step == 0) links_.prefetch_channel(of);
  if (step == 1) links_.prefetch_waiting(of);
  if (step == 2) links_.prefetch_behind(of);
}

bool network::run_one() {
  if (events_.size() == 0) return false;
  const auto next = events_.pop();
  look_ahead();
  dispatch(next);
  return true;
}

void network::run() {
  constexpr std::uint64_t between_looks = 1U << 18;
  while (run_one())
    if (events_.popped() % between_looks == 0 && look_) look_();
  check_conservation();
}

void network::check_conservation() const {
  const auto sum = account();
  const bool is_whole = sum.bytes_posted == sum.bytes_delivered &&
                        sum.messages_posted == sum.messages_delivered &&
                        sum.packets_made == sum.packets_delivered && sum.credits_missing == 0 &&
                        packets_.live() == 0 && moving_.live() == 0;
  if (is_whole) return;
  throw error(text("virtual network: of ", sum.messages_posted, " messages ",
                   sum.messages_delivered, " arrived, of ", sum.bytes_posted, " bytes ",
                   sum.bytes_delivered, ", of ", sum.packets_made, " packets ",
                   sum.packets_delivered, "; ", sum.credits_missing,
                   " credits are missing and nothing is left to do at ", sum.now, " ps"));
}

machine_accounts network::last_accounts() {
  auto sum = account();
  auto stages = servers_.accounts(now());
  // The links' own accounts take as much memory as all messages of a large machine.
  packets_.release();
  moving_.release();
  return {now(), sum, std::move(stages), links_.accounts()};
}

run_account network::account() const {
  run_account sum;
  sum.now = now();
  sum.events = events_.popped();
  sum.most_events_pending = events_.most();
  sum.packets_made = injectors_.packets_made();
  sum.packets_delivered = ejectors_.packets_delivered();
  sum.credits_missing = injectors_.buffers_taken() + ejectors_.buffers_taken();
  messages_.count(sum);
  links_.count(sum);
  rates_.count(sum);
  sum.memory_bytes = packets_.memory_bytes() + moving_.memory_bytes() + alarms_.memory_bytes() +
                     events_.memory_bytes() + servers_.memory_bytes() + injectors_.memory_bytes() +
                     rates_.memory_bytes() + messages_.memory_bytes() + ejectors_.memory_bytes() +
                     links_.memory_bytes() + trace_.memory_bytes();
  return sum;
}

}  // namespace onehop::netsim
