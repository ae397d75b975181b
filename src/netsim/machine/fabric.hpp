#pragma once
/// A fabric is a network between nodes: its shape and its links.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "netsim/machine/time.hpp"

namespace onehop::netsim {

enum class topology_kind : std::uint8_t {
  torus,
  coupled_rings,
  fat_tree,
  all_to_all,
  mesh,
  dragonfly,
  dragonfly_plus,
  hyperx,
  graph
};

/// A routing says which of the ways to a target a packet takes; see docs/explanation/networks.md.
enum class routing : std::uint8_t {
  minimal,  ///< a shortest way; of several the one that was drawn for the packet
  valiant,  ///< over an intermediate place drawn for the packet (Valiant 1982)
  ugal,     ///< minimal or valiant, by the queues at the source (Singh 2005, UGAL-L)
  adaptive  ///< a shortest way; at every router the output of the shortest queue
};

/// A global_order says which group the global ports of a group lead to, port after port.
enum class global_order : std::uint8_t {
  palmtree,  ///< group i to i - 1, i - 2, ..., modulo the number of groups
  absolute   ///< group i to 0, 1, ..., itself left out
};

/// A tree_level is one step up in a fat tree: a switch has `down` children, and `up` parents above
/// it.
struct tree_level {
  std::uint32_t down = 1;
  std::uint32_t up = 1;  ///< number of links from each child to this level
};

/// Groups of switches are connected by global cables, as many between each two groups as the ports
/// give. A dragonfly (Kim, Dally, Scott and Abts, ISCA 2008) has no spines, its leaves are all
/// connected with each other; in a dragonfly+ (Shpiner et al., HiPINEB 2017) every leaf is
/// connected with every spine of its group, and the spines have the global ports.
struct switch_groups {
  std::uint32_t leaves = 1;        ///< switches of a group that have hosts; a of a dragonfly
  std::uint32_t spines = 0;        ///< further switches of a group of a dragonfly+
  std::uint32_t global_ports = 1;  ///< global ports (h) of a leaf of a dragonfly, or of a spine
  std::uint32_t groups = 1;        ///< g
  global_order order = global_order::palmtree;

  [[nodiscard]] std::uint32_t switches() const noexcept { return leaves + spines; }
  /// Returns the number of cables between each two groups.
  [[nodiscard]] std::uint32_t copies() const noexcept {
    return groups < 2 ? 0 : (spines != 0 ? spines : leaves) * global_ports / (groups - 1);
  }
};

/// A switch_graph is any network of switches, with the hosts on them.
struct switch_graph {
  std::uint32_t switches = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  ///< cables, each once
  std::vector<std::uint32_t> host_switch;  ///< by node, the switch that it is on
};

/// The topology says the shape.
/// `torus`, `mesh`: 1 to 8 axes; a mesh is a torus without the cables that close its rings, a ring
/// a torus of one axis.
/// `coupled_rings`: two rings, extents {n, 2}, one cable between partners.
/// `fat_tree`: up to the least common level and down, `levels` from the nodes up, `rails` copies of
/// the tree.
/// `all_to_all`: a link per pair.
/// `dragonfly`, `dragonfly_plus`: `groups` of switches, `hosts` on each leaf.
/// `hyperx` (Ahn et al., SC 2009): switches on a lattice of `switch_extents` (S), along each axis
/// every two connected by `cables` (K), `hosts` (T) on each.
/// `graph`: switches and cables one by one.
struct topology {
  topology_kind kind = topology_kind::torus;
  routing how = routing::minimal;
  std::vector<std::uint32_t> extents;  ///< extents of a torus and of coupled rings
  std::vector<tree_level> levels;      ///< levels of a fat tree
  std::uint32_t rails = 1;             ///< rails of a fat tree; messages of a node take turns
  std::uint32_t nodes = 0;             ///< number of nodes of all_to_all
  std::uint32_t hosts = 1;             ///< nodes on a switch of dragonfly, dragonfly+ and hyperx
  switch_groups grouped;
  std::vector<std::uint32_t> switch_extents, cables;  ///< extents of a hyperx, by axis
  switch_graph graph;

  /// Returns the number of nodes that it connects.
  [[nodiscard]] std::uint64_t capacity() const noexcept;
  /// Returns whether its nodes are not routers: they have a cable each to a switch.
  [[nodiscard]] bool has_switches() const noexcept {
    return kind == topology_kind::fat_tree || kind >= topology_kind::dragonfly;
  }
};

/// Returns how many virtual channels its routing needs so that no cycle of packets can wait for
/// itself. Throws usage_error for a graph whose switches are not all connected.
std::uint32_t channels_needed(const topology& shape);

/// A cable has two directions, each with these numbers. A packet of n bytes takes (n +
/// framing_bytes) / (raw_rate * efficiency) and its head arrives `latency` later. `credits` is how
/// many packets the far side can hold per virtual channel; a credit is back `latency` after the
/// packet has left there. A damaged packet (each bit with probability bit_error_rate, framing
/// included) is noticed by its CRC at its end; the link then sends it again, after its wasted time
/// and `retry` more.
struct cable {
  double raw_rate = 0;    ///< bytes per second
  double efficiency = 1;  ///< share that coding and protocol leave
  std::uint32_t framing_bytes = 0;
  picoseconds latency = 0;
  std::uint32_t credits = 8;
  std::uint32_t virtual_channels = 2;
  double bit_error_rate = 0;
  picoseconds retry = 0;  ///< time before a packet is sent again, 0 for twice the latency
};

/// A congestion_control lets switches mark packets that meet a long queue (ECN), targets notify
/// origins of marks, and origins slow their flows down, each to one target, as DCQCN does (Zhu et
/// al., SIGCOMM 2015, section 3, whose letters stand behind).
struct congestion_control {
  /// A packet that finds `mark_least` bytes before it is marked with a probability that grows from
  /// 0 to `mark_share` at `mark_most`, beyond which every packet is (Kmin, Pmax, Kmax).
  std::uint64_t mark_least = 0, mark_most = 0;
  double mark_share = 1;
  picoseconds notify_interval = 0;   ///< least time between two notifications of a flow (N)
  double gain = 0;                   ///< weight of the latest notification in the estimate (g)
  picoseconds estimate_timer = 0;    ///< time without notifications after which it falls (K)
  picoseconds increase_timer = 0;    ///< time after which the rate rises (T)
  std::uint64_t increase_bytes = 0;  ///< bytes after which the rate rises (B)
  std::uint32_t recovery_steps = 0;  ///< rises half-way to the rate before the cut (F)
  double increase_rate = 0;  ///< bytes per second that later rises add (R_AI); no flow falls
                             ///< below it
};

struct fabric {
  std::string name;
  topology shape;
  /// One link for all, or one per axis or level; of networks of switches those of nodes, those
  /// within groups (of a hyperx by axis), and global ones.
  std::vector<cable> links;
  std::uint32_t packet_bytes = 4096;   ///< most payload of a packet
  picoseconds router_latency = 0;      ///< time per router passed, first and last included
  std::uint32_t transmit_packets = 8;  ///< packets that a node holds between its DMA and the router
  std::uint32_t receive_packets = 8;   ///< packets that a node holds behind the router
  std::optional<congestion_control> control;  ///< none: queues hold back whoever feeds them
};

}  // namespace onehop::netsim
