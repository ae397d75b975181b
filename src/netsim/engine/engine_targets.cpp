// From the last router through the stages of the target, and the servers that all stages are.
#include <algorithm>

#include "netsim/engine/engine.hpp"

namespace onehop::netsim {

std::span<picoseconds> network::engine::receive_places(std::uint32_t node, std::uint32_t fabric) {
  const auto& layout = machine_.net.fabrics[fabric];
  return {&node_places_[std::size_t{node} * places_per_node_ + places_before_[fabric] +
                        layout.transmit_packets],
          layout.receive_packets};
}

// The node takes the packet when it has room; until then it keeps its credit of the last link.
void network::engine::eject(std::uint32_t index) {
  const packet one = packets_[index];
  auto& to = messages_[one.message];
  const auto places = receive_places(to.target, machine_.paths[to.path].fabric);
  const auto place = std::min_element(places.begin(), places.end());
  const flow in{std::max(now_, *place), std::max(one.tail, *place)};
  const auto address = to.address + to.arrived;
  to.arrived += one.bytes;
  packets_[index].channel = 0;
  pass_target(index, in, address, &*place);
  leave(one, in.tail);
}

// `place` is held until the packet is through the stages that are computed at once.
void network::engine::pass_target(std::uint32_t index, flow when, std::uint64_t address,
                                  picoseconds* place) {
  auto& one = packets_[index];
  auto& to = messages_[one.message];
  const auto& way = machine_.paths[to.path];
  for (std::size_t each = one.channel; each < way.target.size(); ++each) {
    if (each != 0 && !way.target_joins[each]) {
      if (place != nullptr) *place = when.tail;
      one.channel = static_cast<std::uint8_t>(each);
      one.tail = when.tail;
      events_.push(when.head, event_kind::packet_at_target_stage, index);
      return;
    }
    when = serve(way.target[each], to.target, when, one.bytes, address, to.token);
  }
  if (place != nullptr) *place = when.tail;
  to.last = std::max(to.last, when.tail);
  ++sum_.packets_delivered;
  const auto message_index = one.message;
  packets_.remove(index);
  if (++to.packets_through == to.packets_made && to.sent == to.bytes)
    begin_target(message_index, to.last);
}

void network::engine::at_target_stage(std::uint32_t index) {
  auto& one = packets_[index];
  const auto& to = messages_[one.message];
  const auto stage = machine_.paths[to.path].target[one.channel];
  const auto when = serve(stage, to.target, {now_, one.tail}, one.bytes, to.address, to.token);
  if (++one.channel < machine_.paths[to.path].target.size() &&
      !machine_.paths[to.path].target_joins[one.channel]) {
    one.tail = when.tail;
    events_.push(when.head, event_kind::packet_at_target_stage, index);
    return;
  }
  pass_target(index, when, to.address, nullptr);
}

// First come, first served; a head that comes before its data keeps the server for them.
flow network::engine::serve(std::uint32_t number, std::uint32_t node, flow in, std::uint32_t bytes,
                            std::uint64_t address, std::uint64_t token) {
  const auto& stage = machine_.stages[number].packets;
  auto& server = unit(node, number);
  const auto start = std::max(in.head, server.free);
  const auto follows = in.tail - start;
  const auto data = machine_.slowed(node, stage.transfer(bytes));
  flow out;
  if (stage.kind == packet_stage::type::translation) {
    const auto looked_up = start + machine_.slowed(node, translate(stage, node, bytes, address));
    out = {looked_up, std::max(in.tail, looked_up + data)};
    server.free = stage.has_rate ? out.tail : looked_up;
    server.busy += server.free - start;
  } else {
    const auto latency = machine_.slowed(node, stage.latency);
    const auto gap = machine_.slowed(node, stage.gap);
    const auto cycle = std::max(data, (data + gap) / static_cast<picoseconds>(stage.channels));
    out = {start + latency, start + latency + std::max(data, follows)};
    server.free = start + std::max(cycle, follows);
    server.busy += server.free - start;
  }
  note(number, node, {start, server.free}, in.head, token);
  return out;
}

// The pages used last come first; a packet may lie on several.
picoseconds network::engine::translate(const packet_stage& stage, std::uint32_t node,
                                       std::uint32_t bytes, std::uint64_t address) {
  if (stage.entries == 0) return stage.miss;
  const auto first =
      pages_.begin() +
      static_cast<std::ptrdiff_t>(std::size_t{node} * machine_.pages_per_node + stage.pages_at);
  const auto last = first + stage.entries;
  picoseconds cost = 0;
  const auto end = (address + std::max(bytes, 1U) - 1) / stage.page;
  for (auto page = address / stage.page; page <= end; ++page) {
    const auto wanted = static_cast<std::uint32_t>(page);
    auto found = std::find(first, last, wanted);
    cost += found == last ? stage.miss : stage.hit;
    if (found == last) --found;
    std::copy_backward(first, found, found + 1);
    *first = wanted;
  }
  return cost;
}

void network::engine::note(std::uint32_t stage, std::uint32_t node, flow served,
                           picoseconds arrival, std::uint64_t token) {
  auto& sum = sums_[stage];
  const auto waited = served.head - arrival;
  ++sum.served;
  sum.busy += served.tail - served.head;
  sum.waited += waited;
  sum.longest_wait = std::max(sum.longest_wait, waited);
  if (traces_) trace_.push_back({served.head, served.tail - served.head, node, stage, token});
}

}  // namespace onehop::netsim
