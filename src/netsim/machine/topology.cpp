#include <algorithm>
#include <string>

#include <onehop/error.hpp>
#include "base/text.hpp"
#include "netsim/machine/fabric.hpp"
#include "netsim/machine/topology_check.hpp"

namespace onehop::netsim {

namespace {

constexpr std::uint64_t most_nodes = 1U << 22;

[[noreturn]] void refuse(const fabric& net, const std::string& why) {
  throw usage_error(text("fabric ", net.name, ": ", why));
}

void check_link(const fabric& net, const cable& one) {
  if (one.raw_rate < 0 || one.efficiency <= 0 || one.efficiency > 1)
    refuse(net, text("a link of rate ", one.raw_rate, " and efficiency ", one.efficiency,
                     "; the rate must not be negative, the efficiency in (0, 1]"));
  if (one.latency < 0 || one.retry < 0) refuse(net, "a link latency or retry time is negative");
  if (one.credits < 1 || one.credits > 64)
    refuse(net, text("links of ", one.credits, " credits; 1 to 64 can be simulated"));
  if (one.virtual_channels < 1 || one.virtual_channels > 16)
    refuse(net, text("links of ", one.virtual_channels, " virtual channels; 1 to 16 can be"));
  if (!(one.bit_error_rate >= 0 && one.bit_error_rate <= 1e-6))
    refuse(net, text("a bit error rate of ", one.bit_error_rate, "; 0 to 1e-6 can be simulated"));
}

void check_rings(const fabric& net) {
  const auto& extents = net.shape.extents;
  if (extents.empty() || extents.size() > 4)
    refuse(net, text("a torus of ", extents.size(), " axes; 1 to 4 can be simulated"));
  for (const auto extent : extents)
    if (extent < 1 || extent > 32767) refuse(net, text("a torus axis of ", extent, " nodes"));
  if (net.shape.kind == topology_kind::coupled_rings && (extents.size() != 2 || extents[1] != 2))
    refuse(net, "two coupled rings have extents n and 2");
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const auto& cable = net.links[std::min(axis, net.links.size() - 1)];
    if (cable.virtual_channels % 2 != 0 && (extents[axis] > 2 || cable.virtual_channels > 1))
      refuse(net, text("axis ", axis, " is a ring of ", extents[axis], " nodes with ",
                       cable.virtual_channels,
                       " virtual channel(s), which can deadlock where it "
                       "closes; give it an even number"));
  }
}

void check_tree(const fabric& net) {
  if (net.shape.levels.empty() || net.shape.levels.size() > 8)
    refuse(net,
           text("a fat tree of ", net.shape.levels.size(), " levels; 1 to 8 can be simulated"));
  for (const auto& level : net.shape.levels)
    if (level.down < 1 || level.up < 1) refuse(net, "a level of a fat tree without links");
  if (net.shape.rails < 1 || net.shape.rails > 64)
    refuse(net, text(net.shape.rails, " rails; 1 to 64 can be simulated"));
}

}  // namespace

std::uint64_t topology::capacity() const noexcept {
  std::uint64_t count = kind == topology_kind::all_to_all ? nodes : 1;
  if (kind == topology_kind::fat_tree)
    for (const auto& level : levels) count = std::min(most_nodes + 1, count * level.down);
  else
    for (const auto extent : extents) count = std::min(most_nodes + 1, count * extent);
  return count;
}

void check_fabric(const fabric& net, std::uint32_t nodes) {
  if (net.links.empty()) refuse(net, "no link is described");
  for (const auto& one : net.links) check_link(net, one);
  if (net.packet_bytes < 1 || net.packet_bytes > 65535)
    refuse(net, text("packets of ", net.packet_bytes, " bytes; 1 to 65535 can be simulated"));
  if (net.router_latency < 0) refuse(net, "the router latency is negative");
  if (net.transmit_packets < 1 || net.transmit_packets > 64 || net.receive_packets < 1 ||
      net.receive_packets > 64)
    refuse(net, "a node must hold 1 to 64 packets to transmit, and to receive");
  if (net.shape.kind == topology_kind::fat_tree)
    check_tree(net);
  else if (net.shape.kind != topology_kind::all_to_all)
    check_rings(net);
  const auto places = net.shape.capacity();
  const bool exact = net.shape.kind != topology_kind::fat_tree;
  if (places < nodes || (exact && places != nodes))
    refuse(net, text("it connects ", places, " nodes, but the machine has ", nodes));
  if (places > most_nodes) refuse(net, text("more than ", most_nodes, " nodes"));
  if (net.shape.kind == topology_kind::all_to_all && places > 4096)
    refuse(net, text("a link per pair of ", places, " nodes; 4096 nodes at most"));
}

}  // namespace onehop::netsim
