#include "netsim/engine/messages.hpp"

#include <algorithm>
#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::netsim {

messages::messages(const compiled_machine& machine, event_queue& events,
                   pool<moving_message>& moving, servers& all_servers, injectors& to_fabric,
                   listener& hears)
    : machine_(machine),
      events_(events),
      moving_(moving),
      servers_(all_servers),
      injectors_(to_fabric),
      hears_(hears),
      turns_(machine.nodes) {
  if (std::ranges::any_of(machine.paths, &compiled_path::reads_on))
    reading_.resize(std::size_t{machine.nodes} * machine.unit_names.size());
}

void messages::check(const message& what) const {
  if (what.origin >= machine_.nodes || what.target >= machine_.nodes)
    throw usage_error(text("message from node ", what.origin, " to node ", what.target,
                           ": the machine has ", machine_.nodes, " nodes"));
  if (std::max(what.origin_slot, what.target_slot) >= machine_.ranks_per_node)
    throw usage_error(text("message between ranks ", what.origin_slot, " and ", what.target_slot,
                           " of their nodes: a node has ", machine_.ranks_per_node));
  if (what.path >= machine_.paths.size())
    throw usage_error(
        text("message by path ", what.path, ": the machine has ", machine_.paths.size()));
}

void messages::start(const message& what) {
  check(what);
  auto& turn = turns_[what.origin];
  const auto& path = machine_.paths[what.path];
  const auto way = plan_route(machine_.net, path.fabric, what.origin, what.target, turn);
  const auto index = moving_.add();
  auto& one = moving_[index];
  one = moving_message{};
  one.bytes = what.bytes;
  one.address = what.address;
  one.token = what.token;
  one.origin = what.origin;
  one.target = what.target;
  one.origin_slot = what.origin_slot;
  one.target_slot = what.target_slot;
  one.path = what.path;
  one.pieces = what.pieces;
  one.first_of_chain = what.first_of_chain;
  // If cables are cut, a message keeps to the rail that was found for it.
  const auto& layout = machine_.net.fabrics[path.fabric];
  one.is_striped = what.bytes > path.stripe_bytes && !layout.has_dead &&
                   layout.shape.kind == topology_kind::fat_tree;
  one.turn = turn++;
  one.way = way;
  ++started_;
  bytes_started_ += what.bytes;
  step(index, events_.now());
}

// Consecutive stages on one unit are one visit: a thread finishes a library call before it begins
// the next, and a copy engine finishes its command. A delay in between releases the unit. If the
// same unit reads the message's packets, the visit ends with the last of them.
picoseconds messages::visit_unit(std::uint32_t index, const std::vector<std::uint32_t>& list,
                                 picoseconds came) {
  auto& one = moving_[index];
  const auto& first = machine_.stages[list[one.position]];
  auto end = servers_.serve_whole(list[one.position++], one, came);
  for (; one.position < list.size() && !first.whole.is_delay; ++one.position) {
    const auto& next = machine_.stages[list[one.position]];
    if (next.unit != first.unit || next.whole.is_delay) break;
    end = servers_.serve_whole(list[one.position], one, end);
  }
  if (one.position == list.size() && !one.is_at_target && machine_.paths[one.path].reads_on)
    reading(one.origin, list.back()).reads = index;
  return end;
}

// Returns whether the stage's unit still reads the packets of an earlier message; if so, the
// message waits for it.
bool messages::waits_for_reader(std::uint32_t index, std::uint32_t stage, picoseconds came) {
  auto& one = moving_[index];
  if (reading_.empty() || machine_.stages[stage].whole.is_delay) return false;
  auto& unit = reading(one.node(), stage);
  if (unit.reads == no_index) return false;
  one.ready = came;
  unit.waiting.push(moving_, index);
  return true;
}

// The unit may have become free earlier than the time of this event.
void messages::all_read(std::uint32_t index) {
  const auto& one = moving_[index];
  const auto& way = machine_.paths[one.path];
  if (!way.reads_on) return;
  auto& unit = reading(one.origin, way.origin.front());
  unit.reads = no_index;
  while (unit.reads == no_index && !unit.waiting.is_empty()) {
    const auto next = unit.waiting.pop(moving_);
    step(next, moving_[next].ready);
  }
}

// Stages that take no time create no event.
void messages::step(std::uint32_t index, picoseconds came) {
  auto& one = moving_[index];
  const auto& way = machine_.paths[one.path];
  const auto& list = one.is_at_target ? way.whole_target : way.whole_origin;
  while (one.position < list.size()) {
    if (waits_for_reader(index, list[one.position], came)) return;
    came = std::max(events_.now(), visit_unit(index, list, came));
    if (came == events_.now()) continue;
    events_.push(came, event_kind::message_step, index);
    return;
  }
  if (one.is_at_target)
    delivered(index);
  else if (one.origin == one.target && way.origin.empty() && way.target.empty())
    stay_home(index);
  else
    injectors_.enter(index);
}

// A copy within a node makes no packets.
void messages::stay_home(std::uint32_t index) {
  auto& one = moving_[index];
  one.arrived = one.bytes;
  one.is_read = true;
  const auto now = events_.now();
  events_.push(now + machine_.paths[one.path].local, event_kind::source_free, index);
  arrive(index, now);
}

// Delays among the first stages need no separate events.
void messages::arrive(std::uint32_t index, picoseconds at) {
  auto& one = moving_[index];
  one.is_at_target = true;
  one.position = 0;
  const auto& list = machine_.paths[one.path].whole_target;
  for (; one.position < list.size(); ++one.position) {
    if (!machine_.stages[list[one.position]].whole.is_delay) break;
    at = servers_.serve_whole(list[one.position], one, at);
  }
  events_.push(at, event_kind::message_step, index);
}

void messages::source_free(std::uint32_t index) {
  const auto token = moving_[index].token;
  forget_if_told(index);
  hears_.source_free(token);
}

void messages::delivered(std::uint32_t index) {
  const auto token = moving_[index].token;
  ++delivered_;
  bytes_delivered_ += moving_[index].arrived;
  forget_if_told(index);
  hears_.delivered(token);
}

// Delivery may precede the notice to the origin that its buffer is free.
void messages::forget_if_told(std::uint32_t index) {
  if (--moving_[index].to_tell == 0) moving_.remove(index);
}

void messages::count(run_account& sum) const noexcept {
  sum.messages_posted = started_;
  sum.bytes_posted = bytes_started_;
  sum.messages_delivered = delivered_;
  sum.bytes_delivered = bytes_delivered_;
}

std::size_t messages::memory_bytes() const noexcept {
  return reading_.capacity() * sizeof(reading_unit) + turns_.capacity() * sizeof(std::uint32_t);
}

}  // namespace onehop::netsim
