#include "netsim/engine/links.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <onehop/error.hpp>
#include <utility>

#include <onehop/random.hpp>
#include "base/text.hpp"
#include "netsim/machine/steering.hpp"

namespace onehop::netsim {

links::links(compiled_machine& machine, event_queue& events, pool<packet>& packets,
             const pool<moving_message>& messages, injectors& origins, packet_trace& trace)
    : net_(machine.net),
      machine_(machine),
      events_(events),
      packets_(packets),
      messages_(messages),
      origins_(origins),
      trace_(trace),
      queues_(std::ranges::max_element(net_.fabrics, {}, &fabric_layout::channels)->channels) {
  std::size_t channels = 0;
  for (const auto& layout : net_.fabrics) {
    channels_before_.push_back(channels);
    reads_messages_ = reads_messages_ || layout.found_by != way_finding::rings;
    has_free_ = has_free_ || is_free(layout);
    has_marks_ = has_marks_ || layout.control.has_value();
    channels += std::size_t{layout.links} * layout.channels;
  }
  if (channels > event::most_index)
    throw usage_error(
        text("machine ", machine.name, ": more than ", event::most_index, " virtual channels"));
}

hop links::channel_at(std::uint32_t index) const {
  std::size_t fabric = channels_before_.size() - 1;
  while (channels_before_[fabric] > index) --fabric;
  const auto& layout = net_.fabrics[fabric];
  const auto local = static_cast<std::uint32_t>(index - channels_before_[fabric]);
  return {layout.first_link + local / layout.channels, local % layout.channels};
}

// Returns where a packet on a link goes. The route in the packet suffices on rings, the link
// suffices for a foreseen hop, and the header suffices on the last leg, so the packet's message is
// not read.
inline std::uint32_t links::target_of(const packet& one, const fabric_layout& layout) const {
  if (layout.found_by == way_finding::rings || one.next != no_index) return no_index;
  const auto head = as_steering(one.way);
  const bool is_in_header = layout.is_steered() && head.now == steering::leg::to_target;
  return is_in_header ? head.via : messages_[one.message].target;
}

inline packet_place links::place_of(const packet& one, const fabric_layout*& layout) const {
  if (one.link == no_index) {
    const auto& from = messages_[one.message];
    layout = &net_.fabrics[machine_.paths[from.path].fabric];
    return {from.origin, from.target, no_index, one.channel, events_.now()};
  }
  const auto& came = net_.links[one.link];
  layout = &net_.fabrics[came.fabric];
  return {came.to, target_of(one, *layout), one.link, one.channel, events_.now(), one.next};
}

inline hop links::next_hop(const packet& one, route& way) const {
  const fabric_layout* layout = nullptr;
  const auto place = place_of(one, layout);
  return follow(net_, *layout, way, place);
}

void links::prefetch_links(const packet& one) const {
  __builtin_prefetch(&net_.links[one.link]);
  if (one.next != no_index)
    __builtin_prefetch(&net_.links[one.next]);
  else if (reads_messages_ || one.way.left == route().left)
    prefetch_all(messages_[one.message]);
}

// The links to choose from may not be in the cache, so only their numbers are used here.
inline void links::prefetch_credits(const fabric_layout& layout, hop of) const {
  net_.credits.prefetch({layout.first_credit_of(of.link, of.channel), layout.credits});
}

bool links::prefetch(const packet& one) const {
  const fabric_layout* layout = nullptr;
  const auto place = place_of(one, layout);
  if (one.link != no_index) {
    prefetch_credits(*layout, {one.link, one.channel});
    if (has_waiting({one.link, one.channel}))
      __builtin_prefetch(&queues_.at(net_.links[one.link].queues, one.channel));
  }
  auto way = one.way;
  if (layout->is_steered() && one.next == no_index && one.link != no_index) {
    if (place.router == place.target) return false;
    prefetch_choices(net_, *layout, way, place);
    return true;
  }
  const auto next = follow(net_, *layout, way, place);
  if (next.link == no_index) return false;
  __builtin_prefetch(&net_.links[next.link]);
  prefetch_credits(*layout, next);
  return true;
}

void links::prefetch_channel(hop of) const {
  __builtin_prefetch(&net_.links[of.link]);
  prefetch_credits(net_.layout_of(of.link), of);
}

void links::prefetch_waiting(hop of) const {
  if (has_waiting(of))
    __builtin_prefetch(&packets_[queues_.at(net_.links[of.link].queues, of.channel).first()]);
}

void links::prefetch_behind(hop of) const {
  if (!has_waiting(of)) return;
  const auto& one = packets_[queues_.at(net_.links[of.link].queues, of.channel).first()];
  if (one.link != no_index) prefetch_channel({one.link, one.channel});
}

// Sends the packet if its start time is known, otherwise queues it.
bool links::forward(std::uint32_t index) {
  if (has_free_ && go_where_free(index)) return true;
  auto& one = packets_[index];
  const auto next = next_hop(one, one.way);
  if (next.link == no_index) return false;
  net_.links[next.link].waited -= events_.now();
  mark_by_queue(index, next.link);
  if (!try_send(index, next)) enqueue(index, next);
  return true;
}

// Marks a packet that reaches a switch, depending on the queue ahead of it at its next link, where
// packets waiting for a credit count as full ones. Random numbers are computed from the number of
// packets that have reached the link.
inline void links::mark_by_queue(std::uint32_t index, std::uint32_t next) {
  auto& one = packets_[index];
  if (!has_marks_ || one.link == no_index) return;
  const auto& out = net_.links[next];
  const auto& kind = net_.kinds[out.kind];
  const auto queue = backlog(net_, next, events_.now());
  if (queue < kind.mark_least) return;
  if (queue < kind.mark_most) {
    const auto words = philox4x32({next, out.packets + out.queued, 0, 5},
                                  {static_cast<std::uint32_t>(machine_.seed),
                                   static_cast<std::uint32_t>(machine_.seed >> 32)});
    const double part = static_cast<double>(queue - kind.mark_least) /
                        static_cast<double>(kind.mark_most - kind.mark_least);
    if (words[0] >= part * kind.mark_share) return;
  }
  one.slot |= packet::is_marked;
}

// Sends the packet if none waits ahead of it and a credit is back when the link becomes free.
inline bool links::try_send(std::uint32_t index, hop next) {
  const auto& out = net_.links[next.link];
  if ((out.waiting >> next.channel & 1U) != 0) return false;
  const auto start = std::max(events_.now(), out.free);
  const auto slot = net_.credits.back_by(net_.credits_of(next.link, next.channel), start);
  if (slot == credit_table::none) return false;
  send(index, next, slot, start);
  return true;
}

// On an adaptively routed torus or mesh, sends the packet by the shortest queue that has room.
bool links::go_where_free(std::uint32_t index) {
  const auto& one = packets_[index];
  const fabric_layout* layout = nullptr;
  const auto place = place_of(one, layout);
  if (!is_free(*layout)) return false;
  choices found;
  add_free_choices(*layout, one.way, place, found);
  std::sort(found.links.begin(), found.links.begin() + found.count, [&](auto a, auto b) {
    return std::pair(backlog(net_, a, place.now), a) < std::pair(backlog(net_, b, place.now), b);
  });
  for (std::uint32_t k = 0; k < found.count; ++k) {
    auto& out = net_.links[found.links[k]];
    for (auto channel = first_free_channel(*layout); channel < net_.kinds[out.kind].channels;
         ++channel) {
      out.waited -= events_.now();
      const auto kept = one.slot;
      mark_by_queue(index, found.links[k]);
      if (try_send(index, {found.links[k], channel})) return true;
      packets_[index].slot = kept;
      out.waited += events_.now();
    }
  }
  return false;
}

void links::enqueue(std::uint32_t index, hop next) {
  auto& out = net_.links[next.link];
  out.deepest = std::max(out.deepest, ++out.queued);
  if (out.queues == no_index) out.queues = queues_.add();
  auto& queue = queues_.at(out.queues, next.channel);
  const auto& one = packets_[index];
  const bool goes_on = !net_.fabrics[out.fabric].shape.has_switches() && one.link != no_index &&
                       net_.links[one.link].axis == out.axis;
  (goes_on ? queue.transit : queue.entering).push(packets_, index);
  const auto bit = 1U << next.channel;
  const bool is_first = (out.waiting & bit) == 0;
  out.waiting = static_cast<std::uint16_t>(out.waiting | bit);
  if (is_first) pump(next);
}

// The packet's head enters the link at `start`. Its credit of the previous link starts back when
// its end has left.
void links::send(std::uint32_t index, hop next, std::uint32_t slot, picoseconds start) {
  auto& one = packets_[index];
  auto& out = net_.links[next.link];
  const auto delay = net_.kinds[out.kind].delay;
  out.waited += start;
  const auto end = occupy(out, next.link, one, start);
  net_.credits.take(net_.credits_of(next.link, next.channel).first + slot);
  const packet before = one;
  one.link = next.link;
  one.slot = static_cast<std::uint8_t>(slot | (one.slot & packet::is_marked));
  one.channel = static_cast<std::uint8_t>(next.channel);
  one.tail = end + delay;
  one.next = no_index;
  if (const auto& layout = net_.fabrics[out.fabric]; is_foreseen(layout, one.way, out.to))
    one.next = foresee(net_, layout, one.way, {out.to, target_of(one, layout), next.link});
  ++packet_hops_;
  events_.push(start + delay, event_kind::packet_at_router, index);
  leave(before, end);
}

// Returns the end of the transmission; if a head arrives earlier than its data allow, the link
// waits for the data. Failed attempts delay `start`: the link repeats the packet, and everything it
// sent after the packet is discarded.
picoseconds links::occupy(link& out, std::uint32_t link_index, const packet& one,
                          picoseconds& start) {
  const auto& kind = net_.kinds[out.kind];
  const auto on_link = std::uint64_t{one.bytes} + kind.framing;
  const auto transfer = kind.bytes(on_link);
  const auto began = start;
  if (kind.bit_error_rate > 0)
    start += failures(out, link_index, 8 * on_link) * (transfer + kind.retry);
  const auto end = std::max(start + transfer, one.tail);
  out.free = end;
  out.busy += end - began;
  ++out.packets;
  if (trace_.is_on())
    trace_.add({began, end - began, link_index, no_index, messages_[one.message].token});
  return end;
}

// Returns how often the packet is damaged before it passes. Random numbers are computed from
// counters, so the order of events does not matter.
std::uint32_t links::failures(link& out, std::uint32_t link_index, std::uint64_t bits) {
  const double damaged =
      -std::expm1(static_cast<double>(bits) * std::log1p(-net_.kinds[out.kind].bit_error_rate));
  std::uint32_t count = 0;
  for (; count < 1000; ++count) {
    const auto words = philox4x32({link_index, out.packets, count, 0},
                                  {static_cast<std::uint32_t>(machine_.seed),
                                   static_cast<std::uint32_t>(machine_.seed >> 32)});
    if ((words[0] + 0.5) * 0x1p-32 >= damaged) break;
  }
  out.retransmissions += count;
  retransmissions_ += count;
  return count;
}

void links::leave(const packet& one, picoseconds at) {
  if (one.link == no_index) return origins_.leave(one, at);
  const auto& came = net_.links[one.link];
  const hop channel{one.link, one.channel};
  net_.credits.give(net_.credits_of(one.link, one.channel).first + one.place(),
                    at + net_.kinds[came.kind].latency, events_.now());
  if ((came.waiting >> one.channel & 1U) != 0) to_pump_.push_back(channel);
}

// Sends queued packets until none can go, because each one sent may release those behind it.
void links::send_queued() {
  while (!to_pump_.empty()) {
    const auto channel = to_pump_.back();
    to_pump_.pop_back();
    pump(channel);
    drop_queues(net_.links[channel.link]);
  }
}

// Sends queued packets whose start is known. The next one gets an event at the time its credit is
// back.
void links::pump(hop channel) {
  auto& out = net_.links[channel.link];
  const auto bit = 1U << channel.channel;
  while ((out.waiting & bit) != 0) {
    const auto best = net_.credits.earliest(net_.credits_of(channel.link, channel.channel));
    const auto start = std::max(events_.now(), out.free);
    if (best.at > start) return wake_at(channel, best.at);
    auto& queue = queues_.at(out.queues, channel.channel);
    const auto first = queue.pop(packets_);
    if (queue.is_empty()) out.waiting = static_cast<std::uint16_t>(out.waiting & ~bit);
    --out.queued;
    send(first, channel, best.slot, start);
  }
}

void links::wake_at(hop channel, picoseconds at) {
  const auto& out = net_.links[channel.link];
  auto& wake = queues_.at(out.queues, channel.channel).wake;
  if (at >= wake) return;
  wake = at;
  const auto index = channels_before_[out.fabric] +
                     net_.fabrics[out.fabric].local_channel(channel.link, channel.channel);
  events_.push(at, event_kind::channel_has_credit, static_cast<std::uint32_t>(index));
}

void links::credit_is_back(std::uint32_t index) {
  const auto channel = channel_at(index);
  auto& of = net_.links[channel.link];
  if (of.queues == no_index) return;
  auto& wake = queues_.at(of.queues, channel.channel).wake;
  if (wake == events_.now()) wake = never;
  pump(channel);
  drop_queues(of);
  send_queued();
}

// A link keeps its queues as long as packets wait or an event will look at them.
void links::drop_queues(link& of) {
  if (of.waiting == 0 && of.queues != no_index && queues_.remove(of.queues)) of.queues = no_index;
}

void links::count(run_account& sum) const {
  sum.packet_hops = packet_hops_;
  sum.retransmissions = retransmissions_;
  sum.credits_missing += net_.credits.taken();
}

std::vector<link_account> links::accounts() const {
  std::vector<link_account> all;
  all.reserve(net_.links.size());
  for (std::uint32_t index = 0; index < net_.links.size(); ++index) {
    const auto& out = net_.links[index];
    const auto [from, port] = net_.from(index);
    // A packet is handed to its link when its start time is known, behind the packets that the link
    // has still to send; the link is fully booked from now until it is free.
    const auto ahead = std::max(out.free - events_.now(), picoseconds{0});
    all.push_back({out.fabric, from, out.to, port, out.axis, out.packets, out.busy - ahead,
                   out.waited, out.deepest, out.retransmissions});
  }
  return all;
}

std::size_t links::memory_bytes() const noexcept {
  return queues_.memory_bytes() + net_.credits.memory_bytes() +
         net_.links.capacity() * sizeof(link);
}

}  // namespace onehop::netsim
