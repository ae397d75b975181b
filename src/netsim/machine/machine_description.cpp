#include "netsim/machine/machine_description.hpp"

#include <string>

#include <onehop/error.hpp>
#include "base/text.hpp"
#include "netsim/machine/topology_check.hpp"

namespace onehop::netsim {

bool is_per_message(const stage_model& model) noexcept {
  return !std::holds_alternative<dma_engine>(model) &&
         !std::holds_alternative<translation>(model) && !std::holds_alternative<bus_port>(model);
}

namespace {

[[noreturn]] void refuse(const stage& one, const char* why) {
  throw usage_error(text("stage ", one.name, ": ", why));
}

struct stage_check {
  const stage& one;

  void times(std::initializer_list<picoseconds> all, double rate = 0) const {
    for (const auto value : all)
      if (value < 0) refuse(one, "a time is negative");
    if (!(rate >= 0)) refuse(one, "the rate is negative");
  }
  void operator()(const software_step& s) const {
    times({s.per_message, s.per_chain, s.per_piece}, s.rate);
  }
  void operator()(const copy_engine& s) const { times({s.setup, s.per_piece}, s.rate); }
  void operator()(const gpu_kernel& s) const { times({s.launch}, s.rate); }
  void operator()(const event_queue_entry& s) const { times({s.write, s.poll}); }
  void operator()(const dma_engine& s) const {
    times({s.gap, s.latency, s.per_piece}, s.rate);
    if (s.channels < 1 || s.channels > 8)
      refuse(one, "channels of a DMA engine; 1 to 8 can be simulated");
  }
  void operator()(const translation& s) const {
    times({s.hit, s.miss}, s.rate);
    if (s.page_bytes < 1) refuse(one, "page; it needs at least 1 byte");
    if (s.entries > 4096) refuse(one, "entries; at most 4096 can be simulated");
  }
  void operator()(const bus_port& s) const {
    times({s.latency}, s.rate);
    if (s.payload_bytes < 1) refuse(one, "payload; a bus packet needs at least 1 byte");
  }
};

void check_order(const machine_description& machine, const path& way, bool at_origin) {
  const auto& list = at_origin ? way.origin : way.target;
  bool other_kind = false;
  for (const auto number : list) {
    if (number >= machine.stages.size())
      throw usage_error(text("path ", way.name, ": there is no stage ", number,
                             "; the machine has ", machine.stages.size()));
    const auto& one = machine.stages[number];
    const bool early = is_per_message(one.model) == at_origin;
    if (early && other_kind)
      throw usage_error(text("path ", way.name, ": stage ", one.name,
                             at_origin ? " takes whole messages, so it must come before those that "
                                         "take packets at the origin"
                                       : " takes packets, so it must come before those that take "
                                         "whole messages at the target"));
    other_kind = other_kind || !early;
  }
}

void check_path(const machine_description& machine, const path& way) {
  if (way.fabric >= machine.fabrics.size())
    throw usage_error(text("path ", way.name, ": there is no fabric ", way.fabric));
  if (way.local < 0) throw usage_error(text("path ", way.name, ": its local time is negative"));
  check_order(machine, way, true);
  check_order(machine, way, false);
}

}  // namespace

void machine_description::check() const {
  if (nodes < 1) throw usage_error(text("machine ", name, " has no nodes"));
  if (stages.size() > 200) throw usage_error(text("machine ", name, " has more than 200 stages"));
  for (const auto& one : stages) std::visit(stage_check{one}, one.model);
  for (const auto& net : fabrics) check_fabric(net, nodes);
  for (const auto& way : paths) check_path(*this, way);
  for (const auto& each : collectives)
    for (const auto way : {each.copy_out, each.copy_in})
      if (way >= static_cast<std::int32_t>(paths.size()))
        throw usage_error(text("collectives of ", each.variant, ": there is no path ", way));
  for (const auto place : places)
    if (place >= nodes)
      throw usage_error(text("--hosts: a rank on node ", place, " of a machine of ", nodes,
                             " nodes, which count from 0"));
  for (const auto& slow : slow_nodes)
    if (slow.node >= nodes || !(slow.factor > 0 && slow.factor < 65536))
      throw usage_error(text("--slow-node ", slow.node, ":", slow.factor,
                             ": the node must be below ", nodes,
                             ", the factor above 0 and below 65536"));
}

std::vector<std::uint32_t> machine_description::grid() const {
  if (fabrics.empty() || fabrics.front().shape.extents.empty()) return {nodes};
  return fabrics.front().shape.extents;
}

}  // namespace onehop::netsim
