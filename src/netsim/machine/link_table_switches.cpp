// In networks of switches, the nodes are the first routers and have one cable each. The switches
// follow; their links go to their nodes, then within the group or along the axes, then to other
// groups.
#include <algorithm>

#include "netsim/machine/link_table.hpp"

namespace onehop::netsim {

namespace {

struct switch_builder {
  big_vector<link>& links;
  fabric_layout& layout;
  std::uint16_t first_kind;
  std::size_t kind_count;

  [[nodiscard]] const topology& shape() const { return layout.shape; }

  void add_link(std::uint32_t to, std::size_t axis, bool into_node = false) {
    link one;
    one.to = to;
    one.axis = static_cast<std::uint8_t>(axis);
    const auto of_axis = std::min(axis, kind_count - 1);
    one.kind = static_cast<std::uint16_t>(first_kind + of_axis + (into_node ? kind_count : 0));
    links.push_back(one);
  }
  void begin_router() { layout.first_of.push_back(static_cast<std::uint32_t>(links.size())); }

  // Adds the links of the switch to its nodes, which start at `first`.
  void add_downs(std::uint32_t first, std::uint32_t count) {
    for (auto node = first; node < std::min(first + count, layout.nodes); ++node) {
      layout.downs[node] = static_cast<std::uint32_t>(links.size());
      add_link(node, 0, true);
    }
  }
  void add_group(std::uint32_t group) {
    const auto& of = shape().grouped;
    for (std::uint32_t place = 0; place < of.switches(); ++place) {
      begin_router();
      if (place < of.leaves) add_downs((group * of.leaves + place) * shape().hosts, shape().hosts);
      const bool is_leaf = place < of.leaves;
      for (std::uint32_t other = 0; other < of.switches(); ++other)
        if (of.spines == 0 ? other != place : is_leaf != (other < of.leaves))
          add_link(layout.nodes + group * of.switches() + other, 1);
      if (of.spines == 0 || !is_leaf)
        add_globals(group, of.spines == 0 ? place : place - of.leaves);
    }
  }
  void add_globals(std::uint32_t group, std::uint32_t holder) {
    const auto& of = shape().grouped;
    const auto& wiring = layout.wiring;
    for (std::uint32_t each = 0; each < of.global_ports; ++each) {
      const auto port = holder * of.global_ports + each;
      if (!wiring.is_used(port)) continue;
      const auto end = wiring.across({group, port});
      const auto other = wiring.holder_of(end.port) + (of.spines == 0 ? 0 : of.leaves);
      add_link(layout.nodes + end.group * of.switches() + other, 2);
    }
  }
  void add_lattice_switch(std::uint32_t at) {
    begin_router();
    add_downs(at * shape().hosts, shape().hosts);
    for (std::size_t axis = 0; axis < shape().switch_extents.size(); ++axis) {
      const auto extent = shape().switch_extents[axis], stride = layout.strides[axis];
      const auto place = at / stride % extent;
      for (std::uint32_t other = 0; other < extent; ++other)
        for (std::uint32_t k = 0; other != place && k < shape().cables[axis]; ++k)
          add_link(layout.nodes + at - place * stride + other * stride, axis + 1);
    }
  }
  void add_graph_switch(std::uint32_t at, const std::vector<std::uint32_t>& hosts) {
    begin_router();
    for (const auto node : hosts) add_downs(node, 1);
    const auto& ways = *layout.ways;
    for (auto k = ways.begin[at]; k < ways.begin[at + 1]; ++k)
      add_link(layout.nodes + ways.neighbours[k], 1);
  }
};

std::vector<std::vector<std::uint32_t>> hosts_of(const fabric_layout& layout) {
  std::vector<std::vector<std::uint32_t>> hosts(layout.shape.graph.switches);
  for (std::uint32_t node = 0; node < layout.nodes; ++node)
    hosts[layout.shape.graph.host_switch[node]].push_back(node);
  return hosts;
}

}  // namespace

void link_table::lay_switches(fabric_layout& layout, std::uint16_t kind, std::size_t kind_count) {
  const auto& shape = layout.shape;
  switch_builder build{links, layout, kind, kind_count};
  layout.downs.resize(layout.nodes);
  for (std::uint32_t node = 0; node < layout.nodes; ++node) {
    build.begin_router();
    build.add_link(layout.nodes + layout.home_of(node), 0);
  }
  if (shape.kind == topology_kind::hyperx) {
    std::uint32_t count = 1;
    for (std::size_t axis = 0; axis < shape.switch_extents.size(); ++axis) {
      layout.strides[axis] = count;
      count *= shape.switch_extents[axis];
    }
    for (std::uint32_t at = 0; at < count; ++at) build.add_lattice_switch(at);
  } else if (shape.kind == topology_kind::graph) {
    layout.ways = std::make_shared<graph_ways>(shape.graph);
    const auto hosts = hosts_of(layout);
    for (std::uint32_t at = 0; at < shape.graph.switches; ++at)
      build.add_graph_switch(at, hosts[at]);
  } else {
    for (std::uint32_t group = 0; group < shape.grouped.groups; ++group) build.add_group(group);
  }
  build.begin_router();
  layout.routers = static_cast<std::uint32_t>(layout.first_of.size() - 1);
}

}  // namespace onehop::netsim
