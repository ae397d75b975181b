#include "netsim/engine/dma_readers.hpp"

#include <algorithm>

namespace onehop::netsim {

namespace {

// Returns the packet's share of the time that it takes to start all rows after the first.
picoseconds rows_of(const packet_stage& stage, const moving_message& from, std::uint32_t bytes) {
  if (from.pieces <= 1 || from.bytes == 0) return 0;
  const auto all = static_cast<double>(from.pieces - 1) * static_cast<double>(stage.per_piece);
  return static_cast<picoseconds>(all * bytes / static_cast<double>(from.bytes));
}

}  // namespace

dma_readers::dma_readers(const compiled_machine& machine, servers& all_servers)
    : machine_(machine),
      servers_(all_servers),
      windows_(machine.injectors.size()),
      ends_(std::size_t{machine.nodes} * machine.ends_per_node) {}

flow dma_readers::read(std::uint32_t injector, const moving_message& from, std::uint32_t bytes,
                       picoseconds at) {
  const auto& plan = machine_.injectors[injector];
  const auto& stage = machine_.stages[plan.stage].packets;
  const auto node = from.origin;
  auto& server = servers_.at(node, plan.stage);
  request_window without;
  auto& used = stage.window == 0 ? without : window_of(injector, node);
  auto* const ends = ends_.data() + std::size_t{node} * machine_.ends_per_node + plan.window_at;
  const auto start = wait(used, stage, plan.window_packets, ends, bytes, std::max(at, server.free));
  const auto data = machine_.slowed(node, stage.transfer(bytes) + rows_of(stage, from, bytes));
  const auto gap = machine_.slowed(node, stage.gap);
  const auto latency = machine_.slowed(node, stage.latency);
  // A window smaller than the packet is filled and emptied several times.
  const auto rounds = stage.window == 0 || bytes == 0 ? 1 : (bytes - 1) / stage.window + 1;
  const auto stalls = static_cast<picoseconds>(rounds - 1) * latency;
  const flow out{start + latency, start + latency + data + stalls};
  auto cycle = std::max(data, (data + gap) / static_cast<picoseconds>(stage.channels));
  if (rounds > 1) cycle = std::max(cycle, out.tail - start);
  server.free = start + cycle;
  server.busy += cycle;
  if (stage.window != 0 && stage.drains) used.drained = std::max(used.drained, out.tail);
  if (plan.window_packets != 0) ends[used.slot] = out.tail;
  servers_.note(plan.stage, node, {start, server.free}, at, from.token);
  return out;
}

dma_readers::request_window& dma_readers::window_of(std::uint32_t injector, std::uint32_t node) {
  auto& of_nodes = windows_[injector];
  if (of_nodes.empty()) of_nodes.resize(machine_.nodes);
  return of_nodes[node];
}

// Returns when the window allows the packet to be requested. A window that drains is used up and
// must then come back completely; any other window admits one packet for each that has come back.
picoseconds dma_readers::wait(request_window& used, const packet_stage& stage,
                              std::uint32_t packets, const picoseconds* ends, std::uint32_t bytes,
                              picoseconds at) {
  if (stage.window == 0) return at;
  if (!stage.drains) {
    used.slot = (used.slot + 1) % packets;
    return std::max(at, ends[used.slot]);
  }
  if (at < used.drained && used.left >= bytes) {
    used.left -= bytes;
    return at;
  }
  used.left = stage.window - std::min<std::uint64_t>(stage.window, bytes);
  return std::max(at, used.drained);
}

}  // namespace onehop::netsim
