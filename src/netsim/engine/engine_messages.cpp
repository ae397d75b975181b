// Messages as wholes: posting, the stages served per message, and telling the listener.
#include <algorithm>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "netsim/engine/engine.hpp"

namespace onehop::netsim {

network::engine::engine(const machine_description& machine, listener& hears, queue_kind how)
    : machine_(machine), hears_(&hears), events_(how) {
  const auto nodes = std::size_t{machine_.nodes};
  units_.resize(nodes * machine_.unit_names.size());
  const auto& paths = machine_.paths;
  if (std::any_of(paths.begin(), paths.end(), [](const auto& way) { return way.reads_on; }))
    holds_.resize(nodes * machine_.unit_names.size());
  feeders_.resize(nodes * machine_.feeders.size());
  window_ends_.resize(nodes * machine_.ends_per_node);
  pages_.assign(nodes * machine_.pages_per_node, none);
  turns_.resize(nodes);
  next_feeder_.resize(nodes);
  sums_.resize(machine_.stages.size());
  std::size_t queues = 0, credits = 0;
  for (const auto& layout : machine_.net.fabrics) {
    places_before_.push_back(places_per_node_);
    places_per_node_ += layout.transmit_packets + layout.receive_packets;
    queues_before_.push_back(queues);
    credits_before_.push_back(credits);
    queues += std::size_t{layout.wires} * layout.channels;
    credits += std::size_t{layout.wires} * layout.channels * layout.credits;
  }
  node_places_.resize(nodes * places_per_node_);
  if (queues > event::most_index)
    throw usage_error(
        text("machine ", machine.name, ": more than ", event::most_index, " virtual channels"));
  queues_.resize(queues);
  credits_.resize(credits);
}

void network::engine::check_message(const message& what) const {
  if (what.origin >= machine_.nodes || what.target >= machine_.nodes)
    throw usage_error(text("message from node ", what.origin, " to node ", what.target,
                           ": the machine has ", machine_.nodes, " nodes"));
  if (what.path >= machine_.paths.size())
    throw usage_error(
        text("message by path ", what.path, ": the machine has ", machine_.paths.size()));
}

void network::engine::post(const message& what) {
  check_message(what);
  auto& turn = turns_[what.origin];
  const auto way =
      plan_route(machine_.net, machine_.paths[what.path].fabric, what.origin, what.target, turn);
  const auto index = messages_.add();
  auto& one = messages_[index];
  one = moving_message{};
  one.bytes = what.bytes;
  one.address = what.address;
  one.token = what.token;
  one.origin = what.origin;
  one.target = what.target;
  one.path = what.path;
  one.pieces = what.pieces;
  one.first_of_chain = what.first_of_chain;
  // Where cables are cut a message keeps to the rail that was found for it.
  const auto& layout = machine_.net.fabrics[machine_.paths[what.path].fabric];
  one.is_striped = what.bytes > machine_.paths[what.path].stripe_bytes && !layout.has_dead &&
                   layout.shape.kind == topology_kind::fat_tree;
  one.turn = turn++;
  one.way = way;
  ++sum_.messages_posted;
  sum_.bytes_posted += what.bytes;
  step_message(index, now_);
}

void network::engine::set_alarm(picoseconds at, std::uint64_t token) {
  if (at < now_) throw usage_error(text("alarm at ", at, " ps, but it is ", now_, " ps already"));
  const auto index = alarms_.add();
  alarms_[index].token = token;
  events_.push(at, event_kind::alarm, index);
}

picoseconds network::engine::whole_cost(const message_stage& stage,
                                        const moving_message& one) const {
  return stage.fixed + (one.first_of_chain ? stage.per_chain : 0) +
         static_cast<picoseconds>(one.pieces) * stage.per_piece + stage.bytes(one.bytes);
}

picoseconds network::engine::serve_whole(std::uint32_t stage, std::uint32_t node,
                                         const moving_message& one, picoseconds at) {
  const auto& what = machine_.stages[stage].whole;
  const auto cost = machine_.slowed(node, whole_cost(what, one));
  auto& server = unit(node, stage);
  const auto start = what.is_delay ? at : std::max(at, server.free);
  if (!what.is_delay) {
    server.free = start + cost;
    server.busy += cost;
  }
  note(stage, node, {start, start + cost}, at, one.token);
  return start + cost;
}

// Stages in a row on one unit are one visit: a thread runs a library call to its end before it
// begins the next, a copy engine its whole command. A delay in between leaves the unit to others.
// Where the message's packets are read by the same unit, the visit ends with the last of them.
picoseconds network::engine::visit_unit(std::uint32_t index, const std::vector<std::uint32_t>& list,
                                        picoseconds came) {
  auto& one = messages_[index];
  const auto node = one.is_at_target ? one.target : one.origin;
  const auto& first = machine_.stages[list[one.position]];
  auto end = serve_whole(list[one.position++], node, one, came);
  for (; one.position < list.size() && !first.whole.is_delay; ++one.position) {
    const auto& next = machine_.stages[list[one.position]];
    if (next.unit != first.unit || next.whole.is_delay) break;
    end = serve_whole(list[one.position], node, one, end);
  }
  if (one.position == list.size() && !one.is_at_target && machine_.paths[one.path].reads_on)
    hold(node, list.back()).holder = index;
  return end;
}

// Whether the unit of the stage reads the packets of a call that came before.
bool network::engine::waits_for_holder(std::uint32_t index, std::uint32_t stage, picoseconds came) {
  auto& one = messages_[index];
  if (holds_.empty() || machine_.stages[stage].whole.is_delay) return false;
  auto& unit = hold(one.is_at_target ? one.target : one.origin, stage);
  if (unit.holder == none) return false;
  one.ready = came;
  one.next = none;
  if (unit.last == none)
    unit.first = index;
  else
    messages_[unit.last].next = index;
  unit.last = index;
  return true;
}

// The last packet of a message is read: the unit serves those that waited, up to the next that
// keeps it. The time from which it is free may lie before that of the event.
void network::engine::release_unit(std::uint32_t index) {
  const auto& one = messages_[index];
  const auto& way = machine_.paths[one.path];
  if (!way.reads_on) return;
  auto& unit = hold(one.origin, way.origin.front());
  unit.holder = none;
  while (unit.holder == none && unit.first != none) {
    const auto next = unit.first;
    unit.first = messages_[next].next;
    if (unit.first == none) unit.last = none;
    step_message(next, messages_[next].ready);
  }
}

// `came` is when it came to its next stage. Stages that take no time make no event.
void network::engine::step_message(std::uint32_t index, picoseconds came) {
  auto& one = messages_[index];
  const auto& way = machine_.paths[one.path];
  const auto& list = one.is_at_target ? way.whole_target : way.whole_origin;
  while (one.position < list.size()) {
    if (waits_for_holder(index, list[one.position], came)) return;
    came = std::max(now_, visit_unit(index, list, came));
    if (came == now_) continue;
    events_.push(came, event_kind::message_step, index);
    return;
  }
  if (one.is_at_target)
    tell(index, true);
  else if (one.origin == one.target && way.origin.empty() && way.target.empty())
    stay_home(index);
  else
    enter_feeder(index);
}

// A copy within a node makes no packets.
void network::engine::stay_home(std::uint32_t index) {
  auto& one = messages_[index];
  one.sent = one.arrived = one.bytes;
  events_.push(now_ + machine_.paths[one.path].local, event_kind::source_free, index);
  begin_target(index, now_);
}

// Delays at the front need no events of their own.
void network::engine::begin_target(std::uint32_t index, picoseconds at) {
  auto& one = messages_[index];
  one.is_at_target = true;
  one.position = 0;
  const auto& list = machine_.paths[one.path].whole_target;
  for (; one.position < list.size(); ++one.position) {
    const auto& what = machine_.stages[list[one.position]].whole;
    if (!what.is_delay) break;
    const auto cost = machine_.slowed(one.target, whole_cost(what, one));
    note(list[one.position], one.target, {at, at + cost}, at, one.token);
    at += cost;
  }
  events_.push(at, event_kind::message_step, index);
}

// Delivery may come before the origin hears that its buffer is free.
void network::engine::tell(std::uint32_t index, bool is_delivery) {
  auto& one = messages_[index];
  const auto token = one.token;
  if (is_delivery) {
    ++sum_.messages_delivered;
    sum_.bytes_delivered += one.arrived;
  }
  if (--one.to_tell == 0) messages_.remove(index);
  if (is_delivery)
    hears_->delivered(token);
  else
    hears_->source_free(token);
}

}  // namespace onehop::netsim
