#pragma once
/// A fabric is a network between nodes, with its shape and its links.

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

/// A routing says which path to a target a packet takes; see docs/explanation/networks.md.
enum class routing : std::uint8_t {
  minimal,  ///< a shortest path; among several, the one drawn for the packet
  valiant,  ///< through an intermediate place drawn for the packet (Valiant 1982)
  ugal,     ///< minimal or valiant, by the queues at the source (Singh 2005, UGAL-L)
  adaptive  ///< a shortest path; at every router the output with the shortest queue
};

/// A global_order says which group each global port of a group leads to.
enum class global_order : std::uint8_t {
  palmtree,  ///< group i to i - 1, i - 2, ..., modulo the number of groups
  absolute   ///< group i to 0, 1, ..., without i itself
};

/// A tree_level is one step up in a fat tree: a switch has `down` children below it and `up`
/// parents above it.
struct tree_level {
  std::uint32_t down = 1;
  std::uint32_t up = 1;  ///< number of links from each child to this level
};

/// Groups of switches are connected by global cables; every two groups share as many as the ports
/// allow. A dragonfly (Kim, Dally, Scott and Abts, ISCA 2008) has no spines, and its leaves are all
/// connected with each other. In a dragonfly+ (Shpiner et al., HiPINEB 2017) every leaf is
/// connected with every spine of its group, and the spines have the global ports.
struct switch_groups {
  std::uint32_t leaves = 1;        ///< switches of a group that have hosts; dragonfly's a
  std::uint32_t spines = 0;        ///< additional switches per group of a dragonfly+
  std::uint32_t global_ports = 1;  ///< global ports (h) per leaf of a dragonfly, or per spine
  std::uint32_t groups = 1;        ///< g
  global_order order = global_order::palmtree;

  [[nodiscard]] std::uint32_t switches() const noexcept { return leaves + spines; }
  /// Returns the number of cables between any two groups.
  [[nodiscard]] std::uint32_t copies() const noexcept {
    return groups < 2 ? 0 : (spines != 0 ? spines : leaves) * global_ports / (groups - 1);
  }
};

/// A switch_graph is an arbitrary network of switches with hosts on them.
struct switch_graph {
  std::uint32_t switches = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  ///< each cable once
  std::vector<std::uint32_t> host_switch;                      ///< by node: its switch
};

/// The topology gives the shape. `torus`, `mesh`: 1 to 8 axes; a mesh is a torus without the cables
/// that close its rings; a ring is a torus with one axis. `coupled_rings`: two rings, extents {n,
/// 2}, with one cable between partners. `fat_tree`: up to the lowest common level and down again,
/// `levels` from the nodes upwards, `rails` copies of the tree. `all_to_all`: one link per pair.
/// `dragonfly`, `dragonfly_plus`: `groups` of switches, `hosts` on each leaf. `hyperx` (Ahn et al.,
/// SC 2009): switches on a lattice of `switch_extents` (S); along each axis every two are connected
/// by `cables` (K); each has `hosts` (T). `graph`: a list of switches and cables.
struct topology {
  topology_kind kind = topology_kind::torus;
  routing how = routing::minimal;
  std::vector<std::uint32_t> extents;  ///< extents of a torus and of coupled rings
  std::vector<tree_level> levels;      ///< levels of a fat tree
  std::uint32_t rails = 1;             ///< rails of a fat tree; a node's messages rotate over them
  std::uint32_t nodes = 0;             ///< number of nodes of all_to_all
  std::uint32_t hosts = 1;             ///< nodes on a switch of dragonfly, dragonfly+ and hyperx
  switch_groups grouped;
  std::vector<std::uint32_t> switch_extents, cables;  ///< extents of a hyperx, by axis
  switch_graph graph;

  /// Returns the number of nodes that it connects.
  [[nodiscard]] std::uint64_t capacity() const noexcept;
  /// Returns whether nodes are not routers but have one cable each to a switch.
  [[nodiscard]] bool has_switches() const noexcept {
    return kind == topology_kind::fat_tree || kind >= topology_kind::dragonfly;
  }
};

/// Returns how many virtual channels the routing needs so that no cycle of packets can wait for
/// itself. Throws usage_error if the switches of a graph are not all connected.
std::uint32_t channels_needed(const topology& shape);

/// Each of a cable's two directions has these numbers. A packet of n bytes takes (n +
/// framing_bytes) / (raw_rate * efficiency), and its head arrives `latency` later. `credits` is the
/// number of packets per virtual channel that the far side can hold; a credit is back `latency`
/// after the packet has left the far side. Damage to a packet (each bit with probability
/// bit_error_rate, framing included) is detected by its CRC at its end; the link then repeats it,
/// after the wasted time plus `retry`.
struct cable {
  double raw_rate = 0;    ///< bytes per second
  double efficiency = 1;  ///< fraction that coding and protocol leave
  std::uint32_t framing_bytes = 0;
  picoseconds latency = 0;
  std::uint32_t credits = 8;
  std::uint32_t virtual_channels = 2;
  double bit_error_rate = 0;
  picoseconds retry = 0;  ///< delay before a packet is repeated; 0 for twice the latency
};

/// With congestion_control, switches mark packets that meet a long queue (ECN), targets notify
/// origins of marks, and origins slow down their flows, one per target, as in DCQCN (Zhu et al.,
/// SIGCOMM 2015, section 3; its symbols are given in parentheses).
struct congestion_control {
  /// A packet that finds at least `mark_least` bytes ahead of it is marked with a probability that
  /// grows from 0 to `mark_share` at `mark_most`; beyond that every packet is marked (Kmin, Pmax,
  /// Kmax).
  std::uint64_t mark_least = 0, mark_most = 0;
  double mark_share = 1;
  picoseconds notify_interval = 0;   ///< least time between two notifications of a flow (N)
  double gain = 0;                   ///< weight of the latest notification in the estimate (g)
  picoseconds estimate_timer = 0;    ///< time without notifications before the estimate falls (K)
  picoseconds increase_timer = 0;    ///< time after which the rate rises (T)
  std::uint64_t increase_bytes = 0;  ///< bytes after which the rate rises (B)
  std::uint32_t recovery_steps = 0;  ///< number of rises half-way to the rate before the cut (F)
  double increase_rate = 0;  ///< bytes per second added by each later rise (R_AI); also the lowest
                             ///< rate of a flow
};

struct fabric {
  std::string name;
  topology shape;
  /// One link for all, or one per axis or level. Networks of switches list links to nodes, links
  /// within groups (in a hyperx one per axis), and global links.
  std::vector<cable> links;
  std::uint32_t packet_bytes = 4096;   ///< largest payload of a packet
  picoseconds router_latency = 0;      ///< time per router passed, first and last included
  std::uint32_t transmit_packets = 8;  ///< packets a node can hold between its DMA and the router
  std::uint32_t receive_packets = 8;   ///< packets a node can hold behind the router
  std::optional<congestion_control> control;  ///< none: full queues only block their senders
};

}  // namespace onehop::netsim
