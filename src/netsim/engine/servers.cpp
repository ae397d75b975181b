#include "netsim/engine/servers.hpp"

#include <algorithm>

namespace onehop::netsim {

namespace {

picoseconds whole_cost(const message_stage& stage, const moving_message& one) {
  return stage.fixed + (one.first_of_chain ? stage.per_chain : 0) +
         static_cast<picoseconds>(one.pieces) * stage.per_piece + stage.bytes(one.bytes);
}

}  // namespace

servers::servers(const compiled_machine& machine, packet_trace& trace)
    : machine_(machine),
      trace_(trace),
      translations_(machine),
      all_(std::size_t{machine.nodes} * machine.ranks_per_node * machine.unit_names.size()),
      sums_(machine.stages.size()) {}

picoseconds servers::serve_whole(std::uint32_t stage, const moving_message& one, picoseconds came) {
  const auto& what = machine_.stages[stage].whole;
  const auto cost = machine_.slowed(one.node(), whole_cost(what, one));
  auto start = came;
  if (!what.is_delay) {
    auto& here = at(one.node(), stage, one.slot());
    start = std::max(came, here.free);
    here.free = start + cost;
    here.busy += cost;
  }
  note(stage, one.node(), {start, start + cost}, came, one.token);
  return start + cost;
}

flow servers::serve(std::uint32_t number, std::uint32_t node, flow in, std::uint32_t bytes,
                    std::uint64_t address, std::uint64_t token) {
  const auto& stage = machine_.stages[number].packets;
  auto& here = at(node, number);
  const auto start = std::max(in.head, here.free);
  const auto follows = in.tail - start;
  const auto data = machine_.slowed(node, stage.transfer(bytes));
  flow out;
  if (stage.kind == packet_stage::type::translation) {
    const auto pages = translations_.look_up(stage, node, address, bytes);
    const auto looked_up = start + machine_.slowed(node, pages);
    out = {looked_up, std::max(in.tail, looked_up + data)};
    here.free = stage.has_rate ? out.tail : looked_up;
  } else {
    const auto latency = machine_.slowed(node, stage.latency);
    const auto gap = machine_.slowed(node, stage.gap);
    const auto cycle = std::max(data, (data + gap) / static_cast<picoseconds>(stage.channels));
    out = {start + latency, start + latency + std::max(data, follows)};
    here.free = start + std::max(cycle, follows);
  }
  here.busy += here.free - start;
  note(number, node, {start, here.free}, in.head, token);
  return out;
}

void servers::note(std::uint32_t stage, std::uint32_t node, flow served, picoseconds arrival,
                   std::uint64_t token) {
  auto& sum = sums_[stage];
  const auto waited = served.head - arrival;
  ++sum.served;
  sum.busy += served.tail - served.head;
  sum.waited += waited;
  sum.longest_wait = std::max(sum.longest_wait, waited);
  if (trace_.is_on()) trace_.add({served.head, served.tail - served.head, node, stage, token});
}

std::vector<stage_account> servers::accounts(picoseconds now) const {
  std::vector<stage_account> all;
  const auto units = machine_.unit_names.size();
  for (std::uint32_t stage = 0; stage < sums_.size(); ++stage) {
    const auto& sum = sums_[stage];
    stage_account one{
        machine_.stage_names[stage], sum.served, sum.busy, sum.waited, sum.longest_wait, 0};
    for (auto index = std::size_t{machine_.stages[stage].unit}; index < all_.size(); index += units)
      one.busiest_node = std::max(
          one.busiest_node, all_[index].busy - std::max(all_[index].free - now, picoseconds{0}));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace onehop::netsim
