#include "netsim/machine/link_table.hpp"

#include <algorithm>
#include <onehop/error.hpp>
#include <string>

#include "base/text.hpp"

namespace onehop::netsim {

namespace {

[[noreturn]] void refuse(const dead_link& where, const std::string& why) {
  throw usage_error(text("--dead-link ", where.node, ":", where.port, ": ", why));
}

// The packet header has room for the steps along four axes.
way_finding way_finding_of(const topology& shape) {
  if (shape.kind == topology_kind::fat_tree) return way_finding::tree;
  if (shape.kind == topology_kind::all_to_all) return way_finding::pairs;
  if (shape.kind == topology_kind::coupled_rings) return way_finding::rings;
  const bool is_plain = shape.kind == topology_kind::torus && shape.how == routing::minimal &&
                        shape.extents.size() <= 4;
  return is_plain ? way_finding::rings : way_finding::steered;
}

fabric_layout begin_layout(const fabric& net, std::uint32_t nodes) {
  fabric_layout layout;
  layout.shape = net.shape;
  layout.nodes = nodes;
  layout.hosts = divisor(net.shape.hosts);
  layout.wiring = group_wiring(net.shape.grouped);
  layout.packet_bytes = net.packet_bytes;
  layout.transmit_packets = net.transmit_packets;
  layout.receive_packets = net.receive_packets;
  layout.control = net.control;
  layout.line_rate = net.links.front().raw_rate * net.links.front().efficiency;
  for (const auto& one : net.links) {
    layout.channels = std::max(layout.channels, one.virtual_channels);
    layout.credits = std::max(layout.credits, one.credits);
  }
  layout.found_by = way_finding_of(net.shape);
  layout.entry_latency = net.shape.has_switches() ? 0 : net.router_latency;
  if (layout.is_steered()) layout.classes = channels_needed(net.shape);
  return layout;
}

std::uint16_t kind_of(std::uint16_t first, std::size_t count, std::size_t axis) {
  return static_cast<std::uint16_t>(first + std::min(axis, count - 1));
}

}  // namespace

link_table::link_table(const machine_description& machine) {
  for (const auto& net : machine.fabrics) {
    auto layout = begin_layout(net, machine.nodes);
    layout.first_link = static_cast<std::uint32_t>(links.size());
    const auto first_kind = static_cast<std::uint16_t>(kinds.size());
    add_kinds(net, first_kind);
    if (net.shape.kind == topology_kind::fat_tree)
      lay_tree(layout, first_kind, net.links.size());
    else if (net.shape.kind == topology_kind::all_to_all)
      lay_pairs(layout, first_kind);
    else if (net.shape.has_switches())
      lay_switches(layout, first_kind, net.links.size());
    else
      lay_rings(layout, first_kind, net.links.size());
    layout.links = static_cast<std::uint32_t>(links.size()) - layout.first_link;
    for (auto index = layout.first_link; index < links.size(); ++index)
      links[index].fabric = static_cast<std::uint8_t>(fabrics.size());
    fabrics.push_back(std::move(layout));
  }
  std::size_t count = 0;
  for (auto& layout : fabrics) {
    layout.first_credit = count;
    count += std::size_t{layout.links} * layout.channels * layout.credits;
  }
  credits.resize(count);
  for (const auto& where : machine.dead_links) cut(where);
}

void link_table::add_kinds(const fabric& net, std::uint16_t first) {
  for (const auto& one : net.links) {
    link_kind kind;
    kind.bytes = pace(one.raw_rate * one.efficiency);
    kind.latency = one.latency;
    kind.delay = one.latency + net.router_latency;
    kind.retry = one.retry != 0 ? one.retry : 2 * one.latency;
    kind.framing = one.framing_bytes;
    kind.credits = one.credits;
    kind.channels = one.virtual_channels;
    kind.packet = kind.bytes(net.packet_bytes + one.framing_bytes);
    kind.bit_error_rate = one.bit_error_rate;
    if (net.control) {
      kind.mark_least = kind.bytes(net.control->mark_least);
      kind.mark_most = kind.bytes(net.control->mark_most);
      kind.mark_share =
          static_cast<std::uint32_t>(std::min(net.control->mark_share * 0x1p32, 4294967295.0));
    }
    kinds.push_back(kind);
  }
  if (!net.shape.has_switches()) return;
  // Links into a node, which is not a router, are the same but have the next kind.
  for (std::size_t each = 0; each < net.links.size(); ++each) {
    auto last = kinds[first + each];
    last.delay = last.latency;
    kinds.push_back(last);
  }
}

void link_table::lay_rings(fabric_layout& layout, std::uint16_t kind, std::size_t kind_count) {
  const auto& extents = layout.shape.extents;
  layout.ports = static_cast<std::uint32_t>(2 * extents.size());
  layout.routers = layout.nodes;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    layout.strides[axis] = axis == 0 ? 1 : layout.strides[axis - 1] * extents[axis - 1];
  links.reserve(links.size() + std::size_t{layout.nodes} * layout.ports);
  for (std::uint32_t node = 0; node < layout.nodes; ++node) {
    std::uint32_t stride = 1;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      const auto place = node / stride % extents[axis];
      for (const bool is_back : {false, true}) {
        link one;
        one.axis = static_cast<std::uint8_t>(axis);
        one.kind = kind_of(kind, kind_count, axis);
        one.closes_ring = is_back ? place == 0 : place + 1 == extents[axis];
        const auto step = is_back ? extents[axis] - 1 : 1;
        // No cable closes a mesh: the link in its place leads nowhere and is never taken.
        const bool is_missing = one.closes_ring && layout.shape.kind == topology_kind::mesh;
        const auto next = node - place * stride + (place + step) % extents[axis] * stride;
        one.to = is_missing ? node : next;
        links.push_back(one);
      }
      stride *= extents[axis];
    }
  }
}

void link_table::lay_pairs(fabric_layout& layout, std::uint16_t kind) {
  layout.ports = layout.routers = layout.nodes;
  for (std::uint32_t node = 0; node < layout.nodes; ++node)
    for (std::uint32_t other = 0; other < layout.nodes; ++other) {
      link one;
      one.kind = kind;
      one.to = other;
      links.push_back(one);
    }
}

link_table::end link_table::from(std::uint32_t index) const {
  const auto& layout = fabrics[links[index].fabric];
  const auto local = index - layout.first_link;
  if (!layout.shape.has_switches()) return {local / layout.ports, local % layout.ports};
  if (layout.shape.kind != topology_kind::fat_tree) {
    const auto after = std::upper_bound(layout.first_of.begin(), layout.first_of.end(), index);
    const auto router = static_cast<std::uint32_t>(after - layout.first_of.begin() - 1);
    return {router, index - layout.first_of[router]};
  }
  // The links of each router are consecutive, in the order of the routers.
  const auto first = [](const tree_router& router) {
    return std::min(router.first_down, router.first_up);
  };
  const auto after =
      std::upper_bound(layout.tree.begin(), layout.tree.end(), index,
                       [&](std::uint32_t wanted, const auto& r) { return wanted < first(r); });
  const auto router = static_cast<std::uint32_t>(after - layout.tree.begin() - 1);
  return {router, index - first(layout.tree[router])};
}

std::uint32_t link_table::partner(std::uint32_t index) const {
  const auto& layout = fabrics[links[index].fabric];
  const auto [router, port] = from(index);
  const auto other = links[index].to;
  const auto kind = layout.shape.kind;
  if (kind == topology_kind::all_to_all) return layout.first_link + other * layout.ports + router;
  if (kind != topology_kind::fat_tree) {
    const bool is_single = kind == topology_kind::coupled_rings && links[index].axis == 1;
    return layout.first_link + other * layout.ports + (is_single ? port : port ^ 1U);
  }
  // Two routers of a tree share at most one cable; only a tree's cables can be cut.
  auto back = std::min(layout.tree[other].first_down, layout.tree[other].first_up);
  while (links[back].to != router) ++back;
  return back;
}

void link_table::cut(const dead_link& where) {
  if (where.fabric >= fabrics.size())
    refuse(where, text("there is no fabric ", where.fabric, " of ", fabrics.size()));
  auto& layout = fabrics[where.fabric];
  const auto& shape = layout.shape;
  if (layout.is_steered() || shape.how != routing::minimal)
    refuse(where,
           "routes around a dead link are known to the minimal routing (topology.routing) of "
           "tori, rings, fat trees and pairs, and this is another network");
  const bool is_tree = shape.kind == topology_kind::fat_tree;
  const auto ports = is_tree ? shape.rails * shape.levels.front().up : layout.ports;
  if (where.node >= layout.nodes || where.port >= ports)
    refuse(where,
           text("the nodes are 0 to ", layout.nodes - 1, ", the ports of each 0 to ", ports - 1));
  const auto first =
      is_tree ? layout.tree[where.node].first_up : layout.first_link + where.node * ports;
  layout.has_dead = links[first + where.port].is_dead = true;
  links[partner(first + where.port)].is_dead = true;
}

}  // namespace onehop::netsim
