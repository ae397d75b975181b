#include "netsim/machine/switch_steering.hpp"

namespace onehop::netsim {

namespace {

// A group_map numbers the links of a switch in a group.
struct group_map {
  const fabric_layout& layout;
  std::uint32_t at;

  [[nodiscard]] const group_wiring& wiring() const { return layout.wiring; }
  [[nodiscard]] const switch_groups& of() const { return wiring().of(); }
  [[nodiscard]] std::uint32_t group() const { return wiring().group_of(at); }
  [[nodiscard]] std::uint32_t place() const { return wiring().place_of(at); }
  [[nodiscard]] bool has_spines() const { return of().spines != 0; }
  [[nodiscard]] bool is_leaf() const { return place() < of().leaves; }
  [[nodiscard]] std::uint32_t holder_of(std::uint32_t port) const {
    return wiring().holder_of(port) + (has_spines() ? of().leaves : 0);
  }
  [[nodiscard]] std::uint32_t first_port() const {
    return (has_spines() ? place() - of().leaves : place()) * of().global_ports;
  }
  // A switch's global links come last, after the links within the group.
  [[nodiscard]] std::uint32_t globals() const { return wiring().used_from(first_port()); }
  [[nodiscard]] std::uint32_t end() const { return layout.first_of[layout.nodes + at + 1]; }
  [[nodiscard]] std::uint32_t global(std::uint32_t port) const {
    return end() - globals() + port - first_port();
  }
  // Returns where a link of a dragonfly switch leads.
  [[nodiscard]] link_end behind(std::uint32_t link) const {
    const auto first = end() - globals();
    if (link < first) {
      const auto k = link - (first - (of().leaves - 1));
      return {at - place() + (k < place() ? k : k + 1), 1};
    }
    const auto far = wiring().across({group(), first_port() + link - first});
    return {far.group * of().switches() + wiring().holder_of(far.port), 2};
  }
  // Returns the link to the switch at a given place of the group.
  [[nodiscard]] std::uint32_t local(std::uint32_t to) const {
    if (!has_spines()) return end() - globals() - (of().leaves - 1) + (to < place() ? to : to - 1);
    if (is_leaf()) return end() - of().spines + to - of().leaves;
    return end() - globals() - of().leaves + to;
  }
};

void add_global_ways(const group_map& map, std::uint32_t goal_group, bool only_own,
                     choices& found) {
  const auto& wiring = map.wiring();
  for (const bool is_own : {true, false}) {
    if (found.count != 0 || (only_own && !is_own)) return;
    for (std::uint32_t copy = 0; copy < wiring.copies(); ++copy) {
      const auto port = wiring.port_to(map.group(), goal_group, copy);
      const auto holder = map.holder_of(port);
      if (is_own != (holder == map.place())) continue;
      found.add(is_own ? map.global(port) : map.local(holder));
    }
  }
}

void add_dragonfly_choices(const group_map& map, const switch_place& here, std::uint32_t goal,
                           choices& found) {
  const auto goal_group = here.is_to_group ? goal : map.wiring().group_of(goal);
  if (goal_group == map.group()) return found.add(map.local(map.wiring().place_of(goal)));
  add_global_ways(map, goal_group, here.came_axis == 1, found);
}

void add_dragonfly_plus_choices(const group_map& map, const switch_place& here, std::uint32_t goal,
                                choices& found) {
  const auto& of = map.of();
  const auto goal_group = here.is_to_group ? goal : map.wiring().group_of(goal);
  const bool is_home = goal_group == map.group();
  if (!map.is_leaf()) {
    if (is_home) return found.add(map.local(map.wiring().place_of(goal)));
    add_global_ways(map, goal_group, true, found);
    // Only in an intermediate group can a packet reach a spine without a cable to the goal.
    if (found.count != 0) return;
    for (std::uint32_t leaf = 0; leaf < of.leaves; ++leaf) found.add(map.local(leaf));
    return;
  }
  if (!is_home) return add_global_ways(map, goal_group, false, found);
  for (std::uint32_t spine = 0; spine < of.spines; ++spine) found.add(map.local(of.leaves + spine));
}

void add_hyperx_choices(const fabric_layout& layout, std::uint32_t at, std::uint32_t goal,
                        choices& found) {
  const auto& shape = layout.shape;
  auto next = layout.first_of[layout.nodes + at + 1];
  for (std::size_t axis = 0; axis < shape.switch_extents.size(); ++axis)
    next -= (shape.switch_extents[axis] - 1) * shape.cables[axis];
  for (std::size_t axis = 0; axis < shape.switch_extents.size(); ++axis) {
    const auto extent = shape.switch_extents[axis], cables = shape.cables[axis];
    const auto from = at / layout.strides[axis] % extent, to = goal / layout.strides[axis] % extent;
    if (from != to) {
      for (std::uint32_t k = 0; k < cables; ++k)
        found.add(next + (to < from ? to : to - 1) * cables + k);
      if (shape.how != routing::adaptive) return;
    }
    next += (extent - 1) * cables;
  }
}

void add_graph_choices(const fabric_layout& layout, std::uint32_t at, std::uint32_t goal,
                       choices& found) {
  const auto& ways = *layout.ways;
  const auto& distances = layout.ways->distances_to(goal);
  const auto neighbours = ways.begin[at + 1] - ways.begin[at];
  const auto first = layout.first_of[layout.nodes + at + 1] - neighbours;
  for (std::uint32_t k = 0; k < neighbours; ++k)
    if (distances[ways.neighbours[ways.begin[at] + k]] < distances[at]) found.add(first + k);
}

}  // namespace

link_end switch_behind(const link_table& net, const fabric_layout& layout, std::uint32_t at,
                       std::uint32_t link) {
  if (layout.shape.kind == topology_kind::dragonfly) return group_map{layout, at}.behind(link);
  return {net.links[link].to - layout.nodes, net.links[link].axis};
}

void add_switch_choices(const fabric_layout& layout, const switch_place& here, std::uint32_t goal,
                        choices& found) {
  switch (layout.shape.kind) {
    case topology_kind::dragonfly:
      return add_dragonfly_choices({layout, here.at}, here, goal, found);
    case topology_kind::dragonfly_plus:
      return add_dragonfly_plus_choices({layout, here.at}, here, goal, found);
    case topology_kind::hyperx:
      return add_hyperx_choices(layout, here.at, goal, found);
    default:
      return add_graph_choices(layout, here.at, goal, found);
  }
}

}  // namespace onehop::netsim
