#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <onehop/error.hpp>
#include "base/text.hpp"
#include "netsim/machine/fabric.hpp"
#include "netsim/machine/graph_ways.hpp"
#include "netsim/machine/steering.hpp"
#include "netsim/machine/topology_check.hpp"

namespace onehop::netsim {

namespace {

constexpr std::uint64_t most_nodes = 1U << 22;

[[noreturn]] void refuse(const fabric& net, const std::string& why) {
  throw usage_error(text("fabric ", net.name, ": ", why));
}

/// Refuses a number of choices that packets could not see.
void require_choices(const fabric& net, std::uint64_t ways, const char* of) {
  if (ways > choices::most)
    refuse(net, text("a packet chooses among ", ways, " ", of, "; at most ", choices::most,
                     " can be simulated"));
}

void check_link(const fabric& net, const cable& one) {
  if (one.raw_rate < 0 || one.efficiency <= 0 || one.efficiency > 1)
    refuse(net, text("wire.rate ", one.raw_rate, " and wire.efficiency ", one.efficiency,
                     "; the rate must not be negative, the efficiency in (0, 1]"));
  if (one.latency < 0 || one.retry < 0)
    refuse(net, text("wire.latency ", one.latency, " ps and wire.retry ", one.retry,
                     " ps; neither must be negative"));
  if (one.credits < 1 || one.credits > 64)
    refuse(net, text("wire.credits ", one.credits, "; 1 to 64 can be simulated"));
  if (one.virtual_channels < 1 || one.virtual_channels > 16)
    refuse(net, text("wire.channels ", one.virtual_channels, "; 1 to 16 can be simulated"));
  if (!(one.bit_error_rate >= 0 && one.bit_error_rate <= 1e-6))
    refuse(net, text("wire.bit_error_rate (--bit-error-rate) ", one.bit_error_rate,
                     "; 0 to 1e-6 can be simulated"));
}

void check_rings(const fabric& net) {
  const auto& extents = net.shape.extents;
  if (extents.empty() || extents.size() > 8)
    refuse(net, text("a torus of ", extents.size(),
                     " axes (topology.extents, --nodes); 1 to 8 can be simulated"));
  for (const auto extent : extents)
    if (extent < 1 || extent > 32767)
      refuse(net, text("an axis of ", extent,
                       " nodes (topology.extents, --nodes); 1 to 32767 can be simulated"));
  if (net.shape.kind == topology_kind::coupled_rings && (extents.size() != 2 || extents[1] != 2))
    refuse(net, "two coupled rings have the extents n and 2 (topology.extents, --nodes)");
  if (net.shape.kind == topology_kind::mesh || net.shape.how != routing::minimal) return;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const auto& cable = net.links[std::min(axis, net.links.size() - 1)];
    if (cable.virtual_channels % 2 != 0 && (extents[axis] > 2 || cable.virtual_channels > 1))
      refuse(net, text("axis ", axis, " is a ring of ", extents[axis], " nodes with ",
                       cable.virtual_channels,
                       " virtual channel(s), which can deadlock where it "
                       "closes; give wire.channels an even number"));
  }
}

void check_tree(const fabric& net) {
  if (net.shape.levels.empty() || net.shape.levels.size() > 8)
    refuse(net, text("a fat tree of ", net.shape.levels.size(),
                     " levels (topology.radix, or m and w); 1 to 8 can be simulated"));
  for (const auto& level : net.shape.levels)
    if (level.down < 1 || level.up < 1)
      refuse(net, "a level of a fat tree without links (topology.radix, or m and w)");
  if (net.shape.rails < 1 || net.shape.rails > 64)
    refuse(net, text("topology.rails ", net.shape.rails, "; 1 to 64 can be simulated"));
}

void check_groups(const fabric& net) {
  const auto& of = net.shape.grouped;
  if (of.leaves < 1 || of.groups < 1 || net.shape.hosts < 1)
    refuse(net,
           "groups need at least one switch (topology.a or leaves), and a switch one host (p)");
  if (net.shape.kind == topology_kind::dragonfly_plus && of.spines < 1)
    refuse(net, "topology.spines 0; a dragonfly+ needs at least one");
  if (of.groups > 1 && of.copies() < 1)
    refuse(net, text((of.spines != 0 ? of.spines : of.leaves) * of.global_ports,
                     " global ports of a group do not reach ", of.groups - 1, " other groups"));
  if (of.groups > 1) require_choices(net, of.copies(), "cables between two groups");
  require_choices(net, std::max(of.leaves, of.spines), "switches of a group");
}

void check_hyperx(const fabric& net) {
  const auto& shape = net.shape;
  if (shape.switch_extents.empty() || shape.switch_extents.size() > 8)
    refuse(net, text("a HyperX of ", shape.switch_extents.size(),
                     " axes (topology.S); 1 to 8 can be simulated"));
  if (shape.cables.size() != shape.switch_extents.size())
    refuse(net, text(shape.switch_extents.size(), " axes, but ", shape.cables.size(),
                     " numbers of cables"));
  for (std::size_t axis = 0; axis < shape.cables.size(); ++axis)
    if (shape.switch_extents[axis] < 1 || shape.cables[axis] < 1 || shape.hosts < 1)
      refuse(net, "a HyperX needs at least a switch (topology.S), a cable (K) and a host (T)");
  require_choices(net, std::accumulate(shape.cables.begin(), shape.cables.end(), std::uint64_t{0}),
                  "cables of all axes (topology.K)");
}

void check_graph(const fabric& net) {
  const auto& graph = net.shape.graph;
  for (const auto& [a, b] : graph.edges)
    if (a >= graph.switches || b >= graph.switches || a == b)
      refuse(net, text("a cable from switch ", a, " to switch ", b, " of ", graph.switches));
  std::vector<std::uint32_t> cables(graph.switches);
  for (const auto& [a, b] : graph.edges) ++cables[a], ++cables[b];
  if (!cables.empty())
    require_choices(net, *std::max_element(cables.begin(), cables.end()), "cables of a switch");
  for (const auto at : graph.host_switch)
    if (at >= graph.switches) refuse(net, text("a host on switch ", at, " of ", graph.switches));
}

void check_control(const fabric& net, const congestion_control& of) {
  if (of.mark_least >= of.mark_most)
    refuse(net, text("congestion.mark_least ", of.mark_least, " bytes and mark_most ", of.mark_most,
                     "; the first must be the smaller"));
  if (!(of.mark_share > 0 && of.mark_share <= 1) || !(of.gain > 0 && of.gain <= 1))
    refuse(net, text("congestion.mark_share ", of.mark_share, " and gain ", of.gain,
                     "; both must be above 0 and at most 1"));
  if (of.notify_interval < 0 || of.estimate_timer < 1 || of.increase_timer < 1 ||
      of.increase_bytes < 1)
    refuse(net, "a timer or the byte counter of its congestion control is not above 0");
  const auto& first = net.links.front();
  const auto line = first.raw_rate * first.efficiency;
  if (!(of.increase_rate > 0 && of.increase_rate <= line))
    refuse(net, text("congestion.increase_rate ", of.increase_rate,
                     " bytes/s; it must be above 0 and at most the rate of a link, ", line));
}

void check_shape(const fabric& net) {
  switch (net.shape.kind) {
    case topology_kind::fat_tree:
      return check_tree(net);
    case topology_kind::dragonfly:
    case topology_kind::dragonfly_plus:
      return check_groups(net);
    case topology_kind::hyperx:
      return check_hyperx(net);
    case topology_kind::graph:
      return check_graph(net);
    case topology_kind::all_to_all:
      return;
    default:
      return check_rings(net);
  }
}

void check_channels(const fabric& net) {
  const bool has_choice =
      net.shape.kind != topology_kind::all_to_all && net.shape.kind != topology_kind::coupled_rings;
  const bool goes_astray = net.shape.how == routing::valiant || net.shape.how == routing::ugal;
  if (net.shape.how != routing::minimal && !has_choice)
    refuse(net, "between two nodes it has one shortest way; its routing is minimal");
  if (goes_astray && net.shape.kind == topology_kind::fat_tree)
    refuse(net, "the routing of a fat tree is minimal or adaptive");
  const auto needed = channels_needed(net.shape);
  for (const auto& one : net.links)
    if (one.virtual_channels < needed)
      refuse(net, text("wire.channels ", one.virtual_channels, "; its routing needs ", needed,
                       ", otherwise packets may wait for each other for ever"));
}

std::uint32_t grid_channels(const topology& shape) {
  const bool is_ring = shape.kind == topology_kind::torus;
  if (shape.how == routing::minimal) return 1;  // check_rings requires pairs if rings close
  if (shape.how == routing::adaptive) return is_ring ? 3 : 2;
  return is_ring ? 4 : 2;
}

std::uint32_t hyperx_channels(const topology& shape) {
  if (shape.how == routing::adaptive)
    return static_cast<std::uint32_t>(shape.switch_extents.size());
  return shape.how == routing::minimal ? 1 : 2;
}

}  // namespace

std::uint64_t topology::capacity() const noexcept {
  if (kind == topology_kind::graph) return graph.host_switch.size();
  std::uint64_t count = kind == topology_kind::all_to_all ? nodes : 1;
  if (kind >= topology_kind::dragonfly) count = hosts;
  if (kind == topology_kind::hyperx)
    for (const auto extent : switch_extents) count = std::min(most_nodes + 1, count * extent);
  else if (kind >= topology_kind::dragonfly)
    count = std::min(most_nodes + 1, count * grouped.leaves) * grouped.groups;
  else if (kind == topology_kind::fat_tree)
    for (const auto& level : levels) count = std::min(most_nodes + 1, count * level.down);
  else
    for (const auto extent : extents) count = std::min(most_nodes + 1, count * extent);
  return count;
}

// The classes of channels are ordered, and a packet never returns to an earlier class. The class is
// given by the global cables crossed (groups), by the hops made (graph), or by the leg of the path
// (others).
std::uint32_t channels_needed(const topology& shape) {
  const bool is_short = shape.how == routing::minimal || shape.how == routing::adaptive;
  switch (shape.kind) {
    case topology_kind::torus:
    case topology_kind::mesh:
      return grid_channels(shape);
    case topology_kind::dragonfly:
    case topology_kind::dragonfly_plus:
      return shape.grouped.groups < 2 ? 1 : is_short || shape.grouped.groups < 3 ? 2 : 3;
    case topology_kind::hyperx:
      return hyperx_channels(shape);
    case topology_kind::graph: {
      const auto diameter = graph_ways(shape.graph).diameter();
      if (diameter == graph_ways::unreached)
        throw usage_error("some switches of the graph are not connected, or more than 254 apart");
      return std::max(1U, is_short ? diameter : 2 * diameter);
    }
    default:
      return 1;
  }
}

void check_fabric(const fabric& net, std::uint32_t nodes) {
  if (net.links.empty()) refuse(net, "no link is described");
  for (const auto& one : net.links) check_link(net, one);
  if (net.packet_bytes < 1 || net.packet_bytes > 65535)
    refuse(net, text("wire.packet ", net.packet_bytes, " bytes; 1 to 65535 can be simulated"));
  if (net.router_latency < 0)
    refuse(net, text("wire.router ", net.router_latency, " ps; it must not be negative"));
  if (net.transmit_packets < 1 || net.transmit_packets > 64 || net.receive_packets < 1 ||
      net.receive_packets > 64)
    refuse(net, "a node must hold 1 to 64 packets to transmit, and to receive");
  check_shape(net);
  check_channels(net);
  if (net.control) check_control(net, *net.control);
  const auto places = net.shape.capacity();
  const bool exact = !net.shape.has_switches();
  if (places < nodes || (exact && places != nodes))
    refuse(net, text("it connects ", places, " nodes, but the machine has ", nodes));
  if (places > most_nodes) refuse(net, text("more than ", most_nodes, " nodes"));
  if (net.shape.kind == topology_kind::all_to_all && places > 4096)
    refuse(net, text("a link per pair of ", places, " nodes; 4096 nodes at most"));
}

}  // namespace onehop::netsim
