#pragma once
// Tests run on these small machines, with a listener that remembers.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "netsim/engine/network.hpp"

namespace onehop::netsim {

inline machine_description torus(std::vector<std::uint32_t> extents, const cable& link = {}) {
  machine_description machine;
  machine.name = "torus";
  fabric net;
  net.name = "torus";
  net.shape.extents = std::move(extents);
  net.links = {link};
  machine.nodes = static_cast<std::uint32_t>(net.shape.capacity());
  machine.fabrics = {net};
  machine.paths = {{}};
  machine.paths[0].name = "plain";
  return machine;
}

inline machine_description tree(std::vector<tree_level> levels, std::uint32_t rails = 1,
                                const cable& link = {}) {
  auto machine = torus({1}, link);
  machine.name = "tree";
  auto& shape = machine.fabrics[0].shape;
  shape.kind = topology_kind::fat_tree;
  shape.levels = std::move(levels);
  shape.rails = rails;
  machine.nodes = static_cast<std::uint32_t>(shape.capacity());
  return machine;
}

// Returns a machine of the shape; `link` has channels for any routing.
inline machine_description network_of(const topology& shape, cable link = {}) {
  link.virtual_channels = 8;
  auto machine = torus({1}, link);
  machine.name = "network";
  machine.fabrics[0].shape = shape;
  machine.nodes = static_cast<std::uint32_t>(shape.capacity());
  return machine;
}

inline topology grid_shape(topology_kind kind, std::vector<std::uint32_t> extents,
                           routing how = routing::minimal) {
  topology shape;
  shape.kind = kind;
  shape.extents = std::move(extents);
  shape.how = how;
  return shape;
}

inline topology dragonfly_shape(std::uint32_t p, std::uint32_t a, std::uint32_t h, std::uint32_t g,
                                routing how = routing::minimal,
                                global_order order = global_order::palmtree) {
  topology shape;
  shape.kind = topology_kind::dragonfly;
  shape.how = how;
  shape.hosts = p;
  shape.grouped = {a, 0, h, g, order};
  return shape;
}

inline topology dragonfly_plus_shape(std::uint32_t hosts, const switch_groups& grouped,
                                     routing how = routing::minimal) {
  topology shape;
  shape.kind = topology_kind::dragonfly_plus;
  shape.how = how;
  shape.hosts = hosts;
  shape.grouped = grouped;
  return shape;
}

inline topology hyperx_shape(std::vector<std::uint32_t> extents, std::vector<std::uint32_t> cables,
                             std::uint32_t hosts, routing how = routing::minimal) {
  topology shape;
  shape.kind = topology_kind::hyperx;
  shape.how = how;
  shape.switch_extents = std::move(extents);
  shape.cables = std::move(cables);
  shape.hosts = hosts;
  return shape;
}

// Two triangles of switches joined by two cables, with one host on a switch but two on the last.
inline topology graph_shape(routing how = routing::minimal) {
  topology shape;
  shape.kind = topology_kind::graph;
  shape.how = how;
  shape.graph = {
      6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}}, {0, 1, 2, 3, 4, 5, 5}};
  return shape;
}

// Every put is one message.
inline protocol direct() {
  protocol how;
  how.variant = "direct";
  return how;
}

// Adds a stage to the only path.
inline machine_description& at_origin(machine_description& machine, const stage_model& model,
                                      const char* unit = "") {
  machine.paths[0].origin.push_back(static_cast<std::uint32_t>(machine.stages.size()));
  machine.stages.push_back({"origin" + std::to_string(machine.stages.size()), unit, model});
  return machine;
}

inline machine_description& at_target(machine_description& machine, const stage_model& model,
                                      const char* unit = "") {
  machine.paths[0].target.push_back(static_cast<std::uint32_t>(machine.stages.size()));
  machine.stages.push_back({"target" + std::to_string(machine.stages.size()), unit, model});
  return machine;
}

class diary final : public listener {
 public:
  explicit diary(const machine_description& machine, queue_kind how = queue_kind::ladder)
      : net(machine, *this, how) {}

  void source_free(std::uint64_t token) override { freed[token] = net.now(); }
  void delivered(std::uint64_t token) override { arrived[token] = net.now(); }
  void alarm(std::uint64_t token) override { rang[token] = net.now(); }

  void post(std::uint32_t origin, std::uint32_t target, std::uint64_t bytes) {
    message one;
    one.origin = origin;
    one.target = target;
    one.bytes = bytes;
    one.token = posted++;
    net.post(one);
  }

  std::map<std::uint64_t, picoseconds> freed, arrived, rang;
  std::uint64_t posted = 0;
  network net;
};

// Returns when a single message has been delivered on an idle machine.
inline picoseconds time_of(const machine_description& machine, const message& what) {
  diary all(machine);
  all.net.post(what);
  all.net.run();
  return all.arrived.at(what.token);
}

inline picoseconds time_of(const machine_description& machine, std::uint64_t bytes,
                           std::uint32_t target = 1) {
  message one;
  one.target = target;
  one.bytes = bytes;
  return time_of(machine, one);
}

}  // namespace onehop::netsim
