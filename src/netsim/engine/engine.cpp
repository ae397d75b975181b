// The loop over events, and the check that nothing was lost.
#include "netsim/engine/engine.hpp"

#include <algorithm>
#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::netsim {

void network::engine::dispatch(const event& one) {
  now_ = one.time;
  ++sum_.events;
  const auto index = one.index();
  switch (one.kind()) {
    case event_kind::packet_at_router:
      return at_router(index);
    case event_kind::packet_at_origin_stage:
      return at_origin_stage(index);
    case event_kind::packet_at_target_stage:
      return at_target_stage(index);
    case event_kind::channel_has_credit:
      return channel_event(index);
    case event_kind::message_step:
      return step_message(index, now_);
    case event_kind::source_free:
      return tell(index, false);
    case event_kind::alarm: {
      const auto token = alarms_[index].token;
      alarms_.remove(index);
      return hears_->alarm(token);
    }
  }
}

bool network::engine::run_one() {
  if (events_.size() == 0) return false;
  const auto next = events_.pop();
  look_ahead();
  dispatch(next);
  return true;
}

void network::engine::run() {
  constexpr std::uint64_t between_looks = 1U << 18;
  while (run_one())
    if (sum_.events % between_looks == 0 && look_) look_();
  check_conservation();
}

void network::engine::check_conservation() const {
  const auto sum = account();
  const bool is_whole = sum.bytes_posted == sum.bytes_delivered &&
                        sum.messages_posted == sum.messages_delivered &&
                        sum.packets_made == sum.packets_delivered && sum.credits_missing == 0 &&
                        packets_.live() == 0 && messages_.live() == 0;
  if (is_whole) return;
  throw error(text("virtual network: of ", sum.messages_posted, " messages ",
                   sum.messages_delivered, " arrived, of ", sum.bytes_posted, " bytes ",
                   sum.bytes_delivered, ", of ", sum.packets_made, " packets ",
                   sum.packets_delivered, "; ", sum.credits_missing,
                   " credits are missing and nothing is left to do at ", sum.now, " ps"));
}

run_account network::engine::account() const {
  auto sum = sum_;
  sum.now = now_;
  sum.most_events_pending = events_.most();
  const auto missing = [](const big_vector<picoseconds>& when) {
    return static_cast<std::uint64_t>(std::count(when.begin(), when.end(), never));
  };
  sum.credits_missing = missing(credits_) + missing(node_places_);
  sum.memory_bytes =
      packets_.memory_bytes() + messages_.memory_bytes() + alarms_.memory_bytes() +
      events_.memory_bytes() + units_.capacity() * sizeof(unit_state) +
      holds_.capacity() * sizeof(unit_hold) + feeders_.capacity() * sizeof(feeder_state) +
      (window_ends_.capacity() + node_places_.capacity() + credits_.capacity()) *
          sizeof(picoseconds) +
      (pages_.capacity() + turns_.capacity()) * sizeof(std::uint32_t) + next_feeder_.capacity() +
      queues_.capacity() * sizeof(channel_queue) + machine_.net.wires.capacity() * sizeof(wire) +
      trace_.capacity() * sizeof(trace_span);
  return sum;
}

std::vector<stage_account> network::engine::stages() const {
  std::vector<stage_account> all;
  for (std::uint32_t stage = 0; stage < sums_.size(); ++stage) {
    const auto& sum = sums_[stage];
    stage_account one{
        machine_.stage_names[stage], sum.served, sum.busy, sum.waited, sum.longest_wait, 0};
    const auto unit = machine_.stages[stage].unit;
    for (std::uint32_t node = 0; node < machine_.nodes; ++node)
      one.busiest_node =
          std::max(one.busiest_node, units_[node * machine_.unit_names.size() + unit].busy);
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<link_account> network::engine::links() const {
  std::vector<link_account> all;
  for (std::uint32_t index = 0; index < machine_.net.wires.size(); ++index) {
    const auto& wire = machine_.net.wires[index];
    const auto [from, port] = machine_.net.from(index);
    all.push_back({wire.fabric, from, wire.to, port, wire.packets, wire.busy, wire.waited,
                   wire.deepest, wire.retransmissions});
  }
  return all;
}

}  // namespace onehop::netsim
