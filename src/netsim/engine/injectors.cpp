#include "netsim/engine/injectors.hpp"

#include <algorithm>

#include <onehop/random.hpp>
#include "netsim/machine/steering.hpp"

namespace onehop::netsim {

namespace {

// Draws which of several equal paths the packet takes, and its intermediate place if it takes a
// detour. Random numbers are computed from counters, so the order of events does not matter.
route draw_way(const moving_message& from, std::uint64_t seed) {
  const auto words =
      philox4x32({from.origin, from.turn, from.packets_made, 1},
                 {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  steering drawn;
  drawn.via = words[0];
  drawn.draw = static_cast<std::uint16_t>(words[1]);
  return as_route(drawn);
}

}  // namespace

injectors::injectors(const compiled_machine& machine, event_queue& events, pool<packet>& packets,
                     pool<moving_message>& messages, servers& all_servers, flow_rates& rates,
                     read_listener& hears)
    : machine_(machine),
      events_(events),
      packets_(packets),
      messages_(messages),
      servers_(all_servers),
      rates_(rates),
      hears_(hears),
      readers_(machine, all_servers),
      buffers_(machine, &fabric_layout::transmit_packets),
      all_(machine.injectors.size()),
      next_injector_(machine.nodes) {}

std::size_t injectors::memory_bytes() const noexcept {
  std::size_t sum = next_injector_.capacity() + buffers_.memory_bytes() + readers_.memory_bytes();
  for (const auto& of_nodes : all_) sum += of_nodes.capacity() * sizeof(injector);
  return sum;
}

void injectors::enter(std::uint32_t message) {
  auto& one = messages_[message];
  one.ready = events_.now();
  const auto which = machine_.paths[one.path].injector;
  if (!is_used(which)) all_[which].resize(machine_.nodes);
  at(one.origin, which).waiting.push(messages_, message);
  wake(one.origin, which);
}

void injectors::wake(std::uint32_t node, std::uint32_t which) {
  if (!is_used(which)) return;
  const auto& here = at(node, which);
  if (!here.runs && !here.is_stuck) inject(node, which);
}

// Returns the message that supplies the next packet.
std::uint32_t injectors::take_turn(injector& here, std::uint32_t channels) {
  if (!here.due.is_empty()) return here.due.first();
  for (;;) {
    while (here.active_count < channels && !here.waiting.is_empty())
      here.active[here.active_count++] = here.waiting.pop(messages_);
    if (here.active_count == 0) return no_index;
    if (here.turn >= here.active_count) here.turn = 0;
    if (!rates_.keep(here.active[here.turn])) return here.active[here.turn];
    take_out(here);
  }
}

// Removes the message whose turn it is from the rotation.
void injectors::take_out(injector& here) {
  --here.active_count;
  std::copy(here.active + here.turn + 1, here.active + here.active_count + 1,
            here.active + here.turn);
}

void injectors::flow_is_due(std::uint32_t flow) {
  const auto message = rates_.first(flow);
  const auto node = messages_[message].origin;
  const auto injector_of = [this](std::uint32_t index) {
    return machine_.paths[messages_[index].path].injector;
  };
  if (rates_.is_limited(flow)) {
    messages_[message].ready = events_.now();
    auto& here = at(node, injector_of(message));
    here.due.push(messages_, message);
    // Another message may wait for a buffer that this one does not need.
    if (!here.runs) inject(node, injector_of(message));
    return;
  }
  for (auto next = rates_.give_back(flow); next != no_index; next = rates_.give_back(flow))
    at(node, injector_of(next)).waiting.push(messages_, next);
  for (std::uint32_t which = 0; which < machine_.injectors.size(); ++which) wake(node, which);
}

void injectors::inject(std::uint32_t node, std::uint32_t which) {
  auto& here = at(node, which);
  const auto stage = machine_.injectors[which].stage;
  const auto channels = stage == no_index ? 1 : machine_.stages[stage].packets.channels;
  here.runs = here.is_stuck = false;
  const auto message = take_turn(here, channels);
  if (message == no_index) return;
  auto& from = messages_[message];
  const auto fabric = machine_.paths[from.path].fabric;
  const auto buffers = buffers_.at(node, fabric);
  const auto buffer = std::min_element(buffers.begin(), buffers.end());
  if (*buffer == never) {
    here.is_stuck = true;
    return;
  }
  const auto packet_bytes = machine_.net.fabrics[fabric].packet_bytes;
  const auto sent = std::uint64_t{from.packets_made} * packet_bytes;
  const auto bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(packet_bytes, from.bytes - sent));
  const auto when = read(which, from, bytes, std::max(*buffer, from.ready));
  from.is_read = sent + bytes == from.bytes;
  *buffer = never;
  const auto made = make_packet(message, bytes, static_cast<std::size_t>(buffer - buffers.begin()));
  here.runs = true;
  end_turn(here, message, bytes);
  if (from.is_read)
    events_.push(when.tail + machine_.paths[from.path].local, event_kind::source_free, message);
  pass(made, when);
  if (from.is_read) hears_.all_read(message);
}

// Returns when the injector's stage passes on the packet's head and end.
flow injectors::read(std::uint32_t which, const moving_message& from, std::uint32_t bytes,
                     picoseconds at) {
  const auto stage = machine_.injectors[which].stage;
  if (stage == no_index) return {std::max(at, events_.now()), std::max(at, events_.now())};
  if (machine_.stages[stage].packets.kind == packet_stage::type::dma)
    return readers_.read(which, from, bytes, at);
  const auto& layout = machine_.net.fabrics[machine_.paths[from.path].fabric];
  const auto address = from.address + std::uint64_t{from.packets_made} * layout.packet_bytes;
  return servers_.serve(stage, from.origin, {at, at}, bytes, address, from.token);
}

std::uint32_t injectors::make_packet(std::uint32_t message, std::uint32_t bytes,
                                     std::size_t buffer) {
  auto& from = messages_[message];
  const auto index = packets_.add();
  auto& made = packets_[index];
  made = packet{};
  made.message = message;
  made.next = from.packets_made;
  made.bytes = static_cast<std::uint16_t>(bytes);
  made.slot = static_cast<std::uint8_t>(buffer | packet::is_newest);
  made.way = from.way;
  if (from.is_striped) {
    const auto rails = machine_.net.fabrics[machine_.paths[from.path].fabric].shape.rails;
    made.way.left[0] = static_cast<std::int16_t>((made.way.left[0] + from.packets_made) % rails);
  }
  if (machine_.net.fabrics[machine_.paths[from.path].fabric].is_steered())
    made.way = draw_way(from, machine_.seed);
  ++packets_made_;
  ++from.packets_made;
  return index;
}

void injectors::end_turn(injector& here, std::uint32_t message, std::uint32_t bytes) {
  const auto& from = messages_[message];
  if (!here.due.is_empty()) {
    here.due.pop(messages_);
    const auto& net = machine_.net;
    const auto first = net.fabrics[machine_.paths[from.path].fabric].first_link;
    rates_.sent(message, bytes + net.kinds[net.links[first].kind].framing);
  } else if (from.is_read) {
    take_out(here);
  } else {
    ++here.turn;
  }
}

// Takes the packet through the stages between injector and router; packet::channel counts them.
void injectors::pass(std::uint32_t index, flow when) {
  auto& one = packets_[index];
  const auto& from = messages_[one.message];
  const auto& way = machine_.paths[from.path];
  for (std::size_t position = one.channel + 1U; position < way.origin.size(); ++position) {
    if (!way.origin_joins[position]) {
      one.channel = static_cast<std::uint8_t>(position);
      one.tail = when.tail;
      events_.push(when.head, event_kind::packet_at_origin_stage, index);
      return;
    }
    when = servers_.serve(way.origin[position], from.origin, when, one.bytes, address_of(one),
                          from.token);
  }
  const auto entry = machine_.net.fabrics[way.fabric].entry_latency;
  one.tail = when.tail + entry;
  one.channel = static_cast<std::uint8_t>(2 * (from.turn & 63U));
  events_.push(when.head + entry, event_kind::packet_at_router, index);
}

void injectors::at_stage(std::uint32_t index) {
  follow(index);
  const auto& one = packets_[index];
  const auto& from = messages_[one.message];
  const auto stage = machine_.paths[from.path].origin[one.channel];
  pass(index, servers_.serve(stage, from.origin, {events_.now(), one.tail}, one.bytes,
                             address_of(one), from.token));
}

std::uint64_t injectors::address_of(const packet& one) const {
  const auto& from = messages_[one.message];
  const auto& layout = machine_.net.fabrics[machine_.paths[from.path].fabric];
  return from.address + std::uint64_t{one.next} * layout.packet_bytes;
}

void injectors::follow(std::uint32_t index) {
  auto& one = packets_[index];
  if ((one.slot & packet::is_newest) == 0) return;
  one.slot &= static_cast<std::uint8_t>(~packet::is_newest);
  const auto& from = messages_[one.message];
  inject(from.origin, machine_.paths[from.path].injector);
}

void injectors::prefetch(const moving_message& from) {
  const auto& way = machine_.paths[from.path];
  prefetch_all(at(from.origin, way.injector));
  __builtin_prefetch(buffers_.at(from.origin, way.fabric).data());
  if (!way.origin.empty()) __builtin_prefetch(&servers_.at(from.origin, way.origin.front()));
}

void injectors::leave(const packet& one, picoseconds at) {
  const auto& from = messages_[one.message];
  const auto fabric = machine_.paths[from.path].fabric;
  buffers_.at(from.origin, fabric)[one.place()] = at;
  resume(from.origin, fabric);
}

// Resumes one of the injectors that wait for a buffer, in rotation.
void injectors::resume(std::uint32_t node, std::uint32_t fabric) {
  const auto count = static_cast<std::uint32_t>(machine_.injectors.size());
  for (std::uint32_t each = 0; each < count; ++each) {
    const auto which = (next_injector_[node] + each) % count;
    if (!is_used(which)) continue;
    const auto& here = at(node, which);
    if (!here.is_stuck) continue;
    const auto turn = here.turn < here.active_count ? here.turn : 0;
    const auto next = here.due.is_empty() ? here.active[turn] : here.due.first();
    if (machine_.paths[messages_[next].path].fabric != fabric) continue;
    next_injector_[node] = static_cast<std::uint8_t>((which + 1) % count);
    inject(node, which);
    return;
  }
}

}  // namespace onehop::netsim
