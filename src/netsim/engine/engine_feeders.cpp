// From messages to packets at the origin. A feeder makes one packet at a time, so that packets in
// memory are those in flight, however long the messages are.
#include <algorithm>

#include "netsim/engine/engine.hpp"

namespace onehop::netsim {

namespace {
constexpr std::uint8_t is_newest = 0x80;  // of packet::slot: its feeder goes on after it

// The packet's part of the starts of all rows after the first.
picoseconds rows_of(const packet_stage& stage, const moving_message& from, std::uint32_t bytes) {
  if (from.pieces <= 1 || from.bytes == 0) return 0;
  const auto all = static_cast<double>(from.pieces - 1) * static_cast<double>(stage.per_piece);
  return static_cast<picoseconds>(all * bytes / static_cast<double>(from.bytes));
}

}  // namespace

std::span<picoseconds> network::engine::transmit_places(std::uint32_t node, std::uint32_t fabric) {
  return {&node_places_[std::size_t{node} * places_per_node_ + places_before_[fabric]],
          machine_.net.fabrics[fabric].transmit_packets};
}

void network::engine::enter_feeder(std::uint32_t index) {
  auto& one = messages_[index];
  one.ready = now_;
  one.next = none;
  const auto which = machine_.paths[one.path].feeder;
  auto& state = feeder(one.origin, which);
  if (state.last == none)
    state.first = index;
  else
    messages_[state.last].next = index;
  state.last = index;
  if (!state.runs && !state.is_stuck) feed(one.origin, which);
}

// The message whose packet is next.
std::uint32_t network::engine::take_turn(feeder_state& state, std::uint32_t channels) {
  while (state.active_count < channels && state.first != none) {
    state.active[state.active_count++] = state.first;
    state.first = messages_[state.first].next;
    if (state.first == none) state.last = none;
  }
  if (state.active_count == 0) return none;
  if (state.turn >= state.active_count) state.turn = 0;
  return state.active[state.turn];
}

void network::engine::feed(std::uint32_t node, std::uint32_t which) {
  auto& state = feeder(node, which);
  const auto stage = machine_.feeders[which].stage;
  const auto channels = stage == none ? 1 : machine_.stages[stage].packets.channels;
  state.runs = state.is_stuck = false;
  const auto message_index = take_turn(state, channels);
  if (message_index == none) return;
  auto& from = messages_[message_index];
  const auto fabric = machine_.paths[from.path].fabric;
  const auto& layout = machine_.net.fabrics[fabric];
  const auto places = transmit_places(node, fabric);
  const auto place = std::min_element(places.begin(), places.end());
  if (*place == never) {
    state.is_stuck = true;
    return;
  }
  const auto bytes = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(layout.packet_bytes, from.bytes - from.sent));
  const auto when = read_packet(node, which, from, bytes, std::max(*place, from.ready));
  *place = never;
  const auto index = packets_.add();
  auto& made = packets_[index];
  made = packet{};
  made.message = message_index;
  made.bytes = static_cast<std::uint16_t>(bytes);
  made.slot = static_cast<std::uint8_t>((place - places.begin()) | is_newest);
  made.way = from.way;
  if (from.is_striped)
    made.way.left[0] =
        static_cast<std::int16_t>((made.way.left[0] + from.packets_made) % layout.shape.rails);
  ++sum_.packets_made;
  ++from.packets_made;
  from.sent += bytes;
  state.runs = true;
  end_turn(state, message_index, when.tail);
  pass_origin(index, when);
  if (from.sent == from.bytes) release_unit(message_index);
}

// Where the feeder's stage lets the packet's head and end go.
flow network::engine::read_packet(std::uint32_t node, std::uint32_t which,
                                  const moving_message& from, std::uint32_t bytes, picoseconds at) {
  const auto& plan = machine_.feeders[which];
  if (plan.stage == none) return {std::max(at, now_), std::max(at, now_)};
  const auto& stage = machine_.stages[plan.stage].packets;
  auto& state = feeder(node, which);
  auto& server = unit(node, plan.stage);
  if (stage.kind != packet_stage::type::dma)
    return serve(plan.stage, node, {at, at}, bytes, from.address + from.sent, from.token);
  auto start = std::max(at, server.free);
  start = wait_for_window(state, plan, node, bytes, start);
  const auto data = machine_.slowed(node, stage.transfer(bytes) + rows_of(stage, from, bytes));
  const auto gap = machine_.slowed(node, stage.gap);
  const auto latency = machine_.slowed(node, stage.latency);
  // A window smaller than the packet is filled and emptied several times.
  const auto rounds = stage.window == 0 || bytes == 0 ? 1 : (bytes - 1) / stage.window + 1;
  const auto stalls = static_cast<picoseconds>(rounds - 1) * latency;
  flow out{start + latency, start + latency + data + stalls};
  auto cycle = std::max(data, (data + gap) / static_cast<picoseconds>(stage.channels));
  if (rounds > 1) cycle = std::max(cycle, out.tail - start);
  server.free = start + cycle;
  server.busy += cycle;
  if (stage.window != 0 && stage.drains) state.drained = std::max(state.drained, out.tail);
  if (plan.window_packets != 0)
    window_ends_[std::size_t{node} * machine_.ends_per_node + plan.window_at + state.window_place] =
        out.tail;
  note(plan.stage, node, {start, server.free}, at, from.token);
  return out;
}

// Requests that the window allows: all at once until it is used up and has come back (drains), or
// a new one for each that has come back.
picoseconds network::engine::wait_for_window(feeder_state& state, const feeder_plan& plan,
                                             std::uint32_t node, std::uint32_t bytes,
                                             picoseconds at) {
  const auto& stage = machine_.stages[plan.stage].packets;
  if (stage.window == 0) return at;
  if (stage.drains) {
    if (at < state.drained && state.window_left >= bytes) {
      state.window_left -= bytes;
      return at;
    }
    state.window_left = stage.window - std::min<std::uint64_t>(stage.window, bytes);
    return std::max(at, state.drained);
  }
  state.window_place = static_cast<std::uint16_t>((state.window_place + 1) % plan.window_packets);
  return std::max(at, window_ends_[std::size_t{node} * machine_.ends_per_node + plan.window_at +
                                   state.window_place]);
}

void network::engine::end_turn(feeder_state& state, std::uint32_t index, picoseconds read) {
  auto& from = messages_[index];
  if (from.sent < from.bytes) {
    ++state.turn;
    return;
  }
  events_.push(read + machine_.paths[from.path].local, event_kind::source_free, index);
  --state.active_count;
  std::copy(state.active + state.turn + 1, state.active + state.active_count + 1,
            state.active + state.turn);
}

// Through the stages between feeder and router; packet::channel counts them.
void network::engine::pass_origin(std::uint32_t index, flow when) {
  auto& one = packets_[index];
  const auto& from = messages_[one.message];
  const auto& way = machine_.paths[from.path];
  for (std::size_t place = one.channel + 1U; place < way.origin.size(); ++place) {
    if (!way.origin_joins[place]) {
      one.channel = static_cast<std::uint8_t>(place);
      one.tail = when.tail;
      events_.push(when.head, event_kind::packet_at_origin_stage, index);
      return;
    }
    when = serve(way.origin[place], from.origin, when, one.bytes, from.address, from.token);
  }
  const auto entry = machine_.net.fabrics[way.fabric].entry_latency;
  one.tail = when.tail + entry;
  one.channel = static_cast<std::uint8_t>(2 * (from.turn & 63U));
  events_.push(when.head + entry, event_kind::packet_at_router, index);
}

void network::engine::at_origin_stage(std::uint32_t index) {
  feed_next(index);
  const auto& one = packets_[index];
  const auto& from = messages_[one.message];
  const auto stage = machine_.paths[from.path].origin[one.channel];
  pass_origin(index,
              serve(stage, from.origin, {now_, one.tail}, one.bytes, from.address, from.token));
}

void network::engine::feed_next(std::uint32_t index) {
  auto& one = packets_[index];
  if ((one.slot & is_newest) == 0) return;
  one.slot &= static_cast<std::uint8_t>(~is_newest);
  const auto& from = messages_[one.message];
  feed(from.origin, machine_.paths[from.path].feeder);
}

// A transmit place is free: one of the feeders that wait can go on, each in its turn.
void network::engine::resume_feeders(std::uint32_t node, std::uint32_t fabric) {
  const auto count = static_cast<std::uint32_t>(machine_.feeders.size());
  for (std::uint32_t each = 0; each < count; ++each) {
    const auto which = (next_feeder_[node] + each) % count;
    auto& state = feeder(node, which);
    if (!state.is_stuck) continue;
    const auto turn = state.turn < state.active_count ? state.turn : 0;
    if (machine_.paths[messages_[state.active[turn]].path].fabric != fabric) continue;
    next_feeder_[node] = static_cast<std::uint8_t>((which + 1) % count);
    feed(node, which);
    return;
  }
}

}  // namespace onehop::netsim
