// Packets from router to router. See engine.hpp for why a hop is one event.
#include <algorithm>
#include <array>
#include <cmath>

#include <onehop/random.hpp>
#include "netsim/engine/engine.hpp"

namespace onehop::netsim {

inline std::size_t network::engine::channel_index(std::uint32_t wire_index,
                                                  std::uint32_t channel) const {
  const auto fabric = machine_.net.wires[wire_index].fabric;
  const auto& layout = machine_.net.fabrics[fabric];
  return queues_before_[fabric] + std::size_t{wire_index - layout.first_wire} * layout.channels +
         channel;
}

inline std::span<picoseconds> network::engine::credits(std::uint32_t wire_index,
                                                       std::uint32_t channel) {
  const auto& wire = machine_.net.wires[wire_index];
  const auto& layout = machine_.net.fabrics[wire.fabric];
  const auto place = std::size_t{wire_index - layout.first_wire} * layout.channels + channel;
  return {&credits_[credits_before_[wire.fabric] + place * layout.credits],
          machine_.net.kinds[wire.kind].credits};
}

// On rings the header says all; the message itself is not touched on the way.
hop network::engine::next_hop(const packet& one, route& way) const {
  const auto& net = machine_.net;
  if (one.wire == none) {
    const auto& from = messages_[one.message];
    return follow(net, net.fabrics[machine_.paths[from.path].fabric], way, from.origin, from.target,
                  none, one.channel);
  }
  const auto& came = net.wires[one.wire];
  const auto& layout = net.fabrics[came.fabric];
  const auto target = layout.is_rings ? none : messages_[one.message].target;
  return follow(net, layout, way, came.to, target, one.wire, one.channel);
}

void network::engine::at_router(std::uint32_t index) {
  if (packets_[index].wire == none) feed_next(index);
  auto& one = packets_[index];
  const auto next = next_hop(one, one.way);
  if (next.wire == none)
    eject(index);
  else
    offer(index, next);
  pump_all();
}

// Fetches what the next events will touch: a hop is a few cache misses, and the events to come are
// known.
void network::engine::look_ahead() {
  constexpr std::size_t far = 12, middle = 8, near = 4;
  const auto* event = events_.glimpse(far);
  if (event == nullptr) return;
  if (event->kind() == event_kind::packet_at_router)
    __builtin_prefetch(&packets_[event->index()]);
  else if (event->kind() == event_kind::message_step || event->kind() == event_kind::source_free)
    __builtin_prefetch(&messages_[event->index()]);
  event = events_.glimpse(middle);
  if (event->kind() == event_kind::packet_at_router) {
    const auto& one = packets_[event->index()];
    if (one.wire == none)
      __builtin_prefetch(&messages_[one.message]);
    else
      __builtin_prefetch(&machine_.net.wires[one.wire]);
  }
  event = events_.glimpse(near);
  if (event->kind() != event_kind::packet_at_router) return;
  const auto& one = packets_[event->index()];
  auto way = one.way;
  const auto next = next_hop(one, way);
  if (one.wire != none) __builtin_prefetch(credits(one.wire, one.channel).data());
  if (next.wire == none) {
    __builtin_prefetch(&messages_[one.message]);
    return;
  }
  __builtin_prefetch(&machine_.net.wires[next.wire]);
  __builtin_prefetch(credits(next.wire, next.channel).data());
}

// Sends the packet if it is known when it can start, else queues it.
void network::engine::offer(std::uint32_t index, hop next) {
  auto& out = machine_.net.wires[next.wire];
  out.waited -= now_;
  if ((out.waiting >> next.channel & 1U) == 0) {
    const auto start = std::max(now_, out.free);
    const auto places = credits(next.wire, next.channel);
    for (std::uint32_t slot = 0; slot < places.size(); ++slot)
      if (places[slot] <= start) return send(index, next, slot, start);
  }
  enqueue(index, next);
}

void network::engine::enqueue(std::uint32_t index, hop next) {
  auto& out = machine_.net.wires[next.wire];
  out.deepest = std::max(out.deepest, ++out.queued);
  auto& queue = queues_[channel_index(next.wire, next.channel)];
  auto& one = packets_[index];
  const bool goes_on = one.wire != none && machine_.net.wires[one.wire].axis == out.axis;
  auto& line = goes_on ? queue.transit : queue.entering;
  one.next = none;
  if (line.last == none)
    line.first = index;
  else
    packets_[line.last].next = index;
  line.last = index;
  const auto bit = 1U << next.channel;
  const bool is_first = (out.waiting & bit) == 0;
  out.waiting = static_cast<std::uint16_t>(out.waiting | bit);
  if (is_first) pump(next.wire, next.channel);
}

std::uint32_t network::engine::dequeue(channel_queue& queue) {
  auto& line = queue.transit.first != none ? queue.transit : queue.entering;
  const auto index = line.first;
  line.first = packets_[index].next;
  if (line.first == none) line.last = none;
  return index;
}

// The packet's head goes onto the wire at `start`, and its credit of the wire before is on its way
// back when its end has gone.
void network::engine::send(std::uint32_t index, hop next, std::uint32_t slot, picoseconds start) {
  auto& one = packets_[index];
  auto& out = machine_.net.wires[next.wire];
  const auto& kind = machine_.net.kinds[out.kind];
  out.waited += start;
  const auto end = occupy(out, next.wire, one, start);
  credits(next.wire, next.channel)[slot] = never;
  const packet before = one;
  one.wire = next.wire;
  one.slot = static_cast<std::uint8_t>(slot);
  one.channel = static_cast<std::uint8_t>(next.channel);
  one.tail = end + kind.delay;
  ++sum_.packet_hops;
  events_.push(start + kind.delay, event_kind::packet_at_router, index);
  leave(before, end);
}

// End of the transmission; a head that came faster than its data makes the wire wait for them.
// Failed attempts move `start`: the wire goes back to the packet, having sent in vain what
// followed.
picoseconds network::engine::occupy(wire& out, std::uint32_t wire_index, const packet& one,
                                    picoseconds& start) {
  const auto& kind = machine_.net.kinds[out.kind];
  const auto on_wire = std::uint64_t{one.bytes} + kind.framing;
  const auto transfer = kind.bytes(on_wire);
  const auto began = start;
  if (kind.bit_error_rate > 0)
    start += failures(out, wire_index, 8 * on_wire) * (transfer + kind.retry);
  const auto end = std::max(start + transfer, one.tail);
  out.free = end;
  out.busy += end - began;
  ++out.packets;
  if (traces_)
    trace_.push_back({began, end - began, wire_index, none, messages_[one.message].token});
  return end;
}

// How often the packet is damaged before it passes: by counter, so no order of events matters.
std::uint32_t network::engine::failures(wire& out, std::uint32_t wire_index, std::uint64_t bits) {
  const double damaged = -std::expm1(static_cast<double>(bits) *
                                     std::log1p(-machine_.net.kinds[out.kind].bit_error_rate));
  std::uint32_t count = 0;
  for (; count < 1000; ++count) {
    const auto words = philox4x32({wire_index, out.packets, count, 0},
                                  {static_cast<std::uint32_t>(machine_.seed),
                                   static_cast<std::uint32_t>(machine_.seed >> 32)});
    if ((words[0] + 0.5) * 0x1p-32 >= damaged) break;
  }
  out.retransmissions += count;
  sum_.retransmissions += count;
  return count;
}

// The packet is out of where it was at `at`.
void network::engine::leave(const packet& one, picoseconds at) {
  if (one.wire == none) {
    const auto& from = messages_[one.message];
    const auto fabric = machine_.paths[from.path].fabric;
    transmit_places(from.origin, fabric)[one.slot] = at;
    resume_feeders(from.origin, fabric);
    return;
  }
  const auto& wire = machine_.net.wires[one.wire];
  credits(one.wire, one.channel)[one.slot] = at + machine_.net.kinds[wire.kind].latency;
  if ((wire.waiting >> one.channel & 1U) != 0) {
    to_pump_.push_back(one.wire);
    to_pump_.push_back(one.channel);
  }
}

// Sending one packet may let those behind it go, and so on back to where there is room.
void network::engine::pump_all() {
  while (!to_pump_.empty()) {
    const auto channel = to_pump_.back();
    to_pump_.pop_back();
    const auto wire_index = to_pump_.back();
    to_pump_.pop_back();
    pump(wire_index, channel);
  }
}

// Sends queued packets whose start is known; the next looks again when its credit comes.
void network::engine::pump(std::uint32_t wire_index, std::uint32_t channel) {
  auto& out = machine_.net.wires[wire_index];
  auto& queue = queues_[channel_index(wire_index, channel)];
  const auto bit = 1U << channel;
  while ((out.waiting & bit) != 0) {
    const auto places = credits(wire_index, channel);
    const auto best = std::min_element(places.begin(), places.end());
    const auto start = std::max(now_, out.free);
    if (*best > start) {
      if (*best != never && *best < queue.wake) {
        queue.wake = *best;
        events_.push(*best, event_kind::channel_has_credit,
                     static_cast<std::uint32_t>(&queue - queues_.data()));
      }
      return;
    }
    const auto index = dequeue(queue);
    if (queue.transit.first == none && queue.entering.first == none)
      out.waiting = static_cast<std::uint16_t>(out.waiting & ~bit);
    --out.queued;
    send(index, {wire_index, channel}, static_cast<std::uint32_t>(best - places.begin()), start);
  }
}

void network::engine::channel_event(std::uint32_t index) {
  auto& queue = queues_[index];
  if (queue.wake == now_) queue.wake = never;
  std::size_t fabric = queues_before_.size() - 1;
  while (queues_before_[fabric] > index) --fabric;
  const auto& layout = machine_.net.fabrics[fabric];
  const auto local = static_cast<std::uint32_t>(index - queues_before_[fabric]);
  pump(layout.first_wire + local / layout.channels, local % layout.channels);
  pump_all();
}

}  // namespace onehop::netsim
