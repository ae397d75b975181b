#include "netsim/machine/compiled_machine.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace onehop::netsim {

namespace {

struct compile_model {
  compiled_stage& out;

  void operator()(const software_step& s) const {
    out.whole = {s.per_message, s.per_chain, s.per_piece, pace(s.rate), false};
  }
  void operator()(const copy_engine& s) const {
    out.whole = {s.setup, 0, s.per_piece, pace(s.rate), false};
  }
  void operator()(const gpu_kernel& s) const { out.whole = {s.launch, 0, 0, pace(s.rate), false}; }
  void operator()(const event_queue_entry& s) const {
    out.whole = {s.write + s.poll, 0, 0, pace(), true};
  }
  void operator()(const dma_engine& s) const {
    auto& p = out.packets;
    p.kind = packet_stage::type::dma;
    p.channels = s.channels;
    p.gap = s.gap;
    p.latency = s.latency;
    p.per_piece = s.per_piece;
    p.bytes = pace(s.rate);
    p.window = s.window_bytes;
    p.drains = s.drains;
  }
  void operator()(const translation& s) const {
    auto& p = out.packets;
    p.kind = packet_stage::type::translation;
    p.hit = s.hit;
    p.miss = s.miss;
    p.entries = s.entries;
    p.page = s.page_bytes;
    p.bytes = pace(s.rate);
    p.has_rate = s.rate > 0;
  }
  void operator()(const bus_port& s) const {
    auto& p = out.packets;
    p.kind = packet_stage::type::port;
    p.latency = s.latency;
    p.bytes = pace(s.rate);
    p.payload = s.payload_bytes;
    p.overhead = s.overhead_bytes;
  }
};

std::uint32_t most_on_a_node(const machine_description& machine) {
  std::vector<std::uint32_t> ranks(machine.nodes, 0);
  for (const auto place : machine.places) ++ranks[place];
  return std::max(1U, *std::ranges::max_element(ranks));
}

}  // namespace

compiled_machine::compiled_machine(const machine_description& machine)
    : name(machine.name),
      nodes(machine.nodes),
      ranks_per_node(most_on_a_node(machine)),
      net(machine),
      seed(machine.seed) {
  compile_stages(machine);
  for (const auto& way : machine.paths) compile_path(machine, way);
  join_stages();
  if (machine.slow_nodes.empty()) return;
  slowness.assign(nodes, 65536);
  for (const auto& slow : machine.slow_nodes)
    slowness[slow.node] = static_cast<std::uint32_t>(slow.factor * 65536 + 0.5);
}

void compiled_machine::compile_stages(const machine_description& machine) {
  for (const auto& one : machine.stages) {
    const auto& unit = one.unit.empty() ? one.name : one.unit;
    const auto found = std::find(unit_names.begin(), unit_names.end(), unit);
    compiled_stage stage;
    stage.unit = static_cast<std::uint32_t>(found - unit_names.begin());
    if (found == unit_names.end()) unit_names.push_back(unit);
    std::visit(compile_model{stage}, one.model);
    stage.packets.pages_at = pages_per_node;
    pages_per_node += stage.packets.entries;
    stage.of_rank = is_per_message(one.model);
    stages.push_back(stage);
    stage_names.push_back(one.name);
  }
  share_units();
}

void compiled_machine::share_units() {
  std::vector<bool> is_shared(unit_names.size());
  for (const auto& one : stages) is_shared[one.unit] = is_shared[one.unit] || !one.of_rank;
  for (auto& one : stages) one.of_rank = !is_shared[one.unit];
}

void compiled_machine::compile_path(const machine_description& machine, const path& way) {
  compiled_path made;
  for (const auto stage : way.origin)
    (is_per_message(machine.stages[stage].model) ? made.whole_origin : made.origin)
        .push_back(stage);
  for (const auto stage : way.target)
    (is_per_message(machine.stages[stage].model) ? made.whole_target : made.target)
        .push_back(stage);
  made.fabric = way.fabric;
  made.local = way.local;
  made.stripe_bytes = way.stripe_bytes;
  made.injector = injector_of(machine, made);
  if (!made.whole_origin.empty() && !made.origin.empty()) {
    const auto& last = stages[made.whole_origin.back()];
    made.reads_on = !last.whole.is_delay && last.unit == stages[made.origin.front()].unit;
  }
  paths.push_back(std::move(made));
}

std::uint32_t compiled_machine::injector_of(const machine_description& machine,
                                            const compiled_path& way) {
  const auto first = way.origin.empty() ? no_index : way.origin.front();
  const auto packet = machine.fabrics[way.fabric].packet_bytes;
  for (std::uint32_t index = 0; index < injectors.size(); ++index)
    if (injectors[index].stage == first) return index;
  injector_plan made{first, 0, ends_per_node};
  if (first != no_index && stages[first].packets.window != 0 && !stages[first].packets.drains) {
    const auto window = stages[first].packets.window / packet;
    made.window_packets = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(window, 1, 256));
  }
  ends_per_node += made.window_packets;
  injectors.push_back(made);
  return static_cast<std::uint32_t>(injectors.size() - 1);
}

// Joins stages. If all packets of a unit come directly from one stage, in that stage's order, the
// unit's work on a packet can be computed together with that stage, which saves an event and
// changes nothing else. A unit with two consecutive stages finishes a packet before it takes the
// next.
void compiled_machine::join_stages() {
  constexpr std::uint32_t several = no_index - 1;
  std::map<std::uint32_t, std::uint32_t> before;  // unit -> the only stage before it, or several
  const auto note = [&](std::uint32_t stage, std::uint32_t previous) {
    const auto [place, is_new] = before.try_emplace(stages[stage].unit, previous);
    if (!is_new && place->second != previous) place->second = several;
  };
  const auto note_all = [&](const std::vector<std::uint32_t>& list, std::uint32_t side) {
    for (std::size_t k = 0; k < list.size(); ++k)
      note(list[k], k == 0 ? several : 2 * list[k - 1] + side);
  };
  for (const auto& way : paths) {
    note_all(way.origin, 0);
    note_all(way.target, 1);
    for (const auto stage : way.whole_origin) note(stage, several);
    for (const auto stage : way.whole_target) note(stage, several);
  }
  for (auto& way : paths)
    for (const bool at_origin : {true, false}) {
      const auto& list = at_origin ? way.origin : way.target;
      auto& joins = at_origin ? way.origin_joins : way.target_joins;
      for (std::size_t k = 0; k < list.size(); ++k) {
        const bool same_unit = k != 0 && stages[list[k]].unit == stages[list[k - 1]].unit;
        joins.push_back(same_unit || before[stages[list[k]].unit] != several);
      }
    }
}

}  // namespace onehop::netsim
