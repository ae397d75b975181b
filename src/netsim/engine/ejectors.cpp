#include "netsim/engine/ejectors.hpp"

#include <algorithm>

namespace onehop::netsim {

ejectors::ejectors(const compiled_machine& machine, event_queue& events, pool<packet>& packets,
                   pool<moving_message>& moving, servers& all_servers, flow_rates& rates,
                   messages& hears)
    : machine_(machine),
      events_(events),
      packets_(packets),
      moving_(moving),
      servers_(all_servers),
      rates_(rates),
      messages_(hears),
      buffers_(machine, &fabric_layout::receive_packets) {}

// The packet keeps its credit of the last link until the node has a free buffer.
picoseconds ejectors::take(std::uint32_t index) {
  auto& one = packets_[index];
  auto& to = moving_[one.message];
  const auto buffers = buffers_.at(to.target, machine_.paths[to.path].fabric);
  const auto buffer = std::min_element(buffers.begin(), buffers.end());
  const flow in{std::max(events_.now(), *buffer), std::max(one.tail, *buffer)};
  if ((one.slot & packet::is_marked) != 0) rates_.note_mark(to, in.tail);
  // Packets are written in order of arrival.
  one.next = static_cast<std::uint32_t>(
      to.arrived / machine_.net.fabrics[machine_.paths[to.path].fabric].packet_bytes);
  to.arrived += one.bytes;
  one.channel = 0;
  *buffer = pass(index, in);
  return in.tail;
}

void ejectors::prefetch(const moving_message& to) {
  const auto& way = machine_.paths[to.path];
  __builtin_prefetch(buffers_.at(to.target, way.fabric).data());
  if (!way.target.empty()) __builtin_prefetch(&servers_.at(to.target, way.target.front()));
}

std::uint64_t ejectors::address_of(const packet& one) const {
  const auto& to = moving_[one.message];
  const auto& layout = machine_.net.fabrics[machine_.paths[to.path].fabric];
  return to.address + std::uint64_t{one.next} * layout.packet_bytes;
}

// Takes the packet through the stages that are computed immediately, and then frees its buffer;
// packet::channel counts the stages.
picoseconds ejectors::pass(std::uint32_t index, flow when) {
  auto& one = packets_[index];
  const auto& to = moving_[one.message];
  const auto& way = machine_.paths[to.path];
  for (std::size_t position = one.channel; position < way.target.size(); ++position) {
    if (position != 0 && !way.target_joins[position]) {
      one.channel = static_cast<std::uint8_t>(position);
      one.tail = when.tail;
      events_.push(when.head, event_kind::packet_at_target_stage, index);
      return when.tail;
    }
    when =
        servers_.serve(way.target[position], to.target, when, one.bytes, address_of(one), to.token);
  }
  finish(index, when.tail);
  return when.tail;
}

void ejectors::finish(std::uint32_t index, picoseconds at) {
  const auto message = packets_[index].message;
  auto& to = moving_[message];
  to.last = std::max(to.last, at);
  ++packets_delivered_;
  packets_.remove(index);
  if (++to.packets_through == to.packets_made && to.is_read) messages_.arrive(message, to.last);
}

void ejectors::at_stage(std::uint32_t index) {
  auto& one = packets_[index];
  const auto& to = moving_[one.message];
  const auto stage = machine_.paths[to.path].target[one.channel++];
  pass(index, servers_.serve(stage, to.target, {events_.now(), one.tail}, one.bytes,
                             address_of(one), to.token));
}

}  // namespace onehop::netsim
