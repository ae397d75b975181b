#pragma once
/// The wiring holds all links of a machine in one table.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "netsim/machine/big_vector.hpp"
#include "netsim/machine/credit_table.hpp"
#include "netsim/machine/graph_ways.hpp"
#include "netsim/machine/group_wiring.hpp"
#include "netsim/machine/machine_description.hpp"

namespace onehop::netsim {

/// A link is one direction of a cable, with a record of its use.
struct alignas(64) link {
  picoseconds free = 0;  ///< when the last packet handed to it has left
  picoseconds busy = 0;
  picoseconds waited = 0;
  std::uint32_t to = 0;  ///< router that it leads to
  std::uint32_t packets = 0;
  std::uint32_t retransmissions = 0;
  std::uint32_t queued = 0, deepest = 0;
  std::uint32_t queues = no_index;  ///< number of its entry of queues, if packets wait
  std::uint16_t waiting = 0;        ///< channels with waiting packets, one bit each
  std::uint16_t kind = 0;           ///< index in link_table::kinds
  std::uint8_t fabric = 0;
  std::uint8_t axis = 0;  ///< axis or tree level; for switches, 0 for node cables, 1 and up within
                          ///< a group or along an axis, 2 for global cables
  bool closes_ring = false;
  bool is_dead = false;
};
static_assert(sizeof(link) == 64);

/// A link_kind holds what all links of one class share.
struct link_kind {
  pace bytes;
  picoseconds delay = 0;    ///< delay of the head: cable plus next router
  picoseconds latency = 0;  ///< latency of only the cable, for credits
  picoseconds retry = 0;
  std::uint32_t framing = 0;
  std::uint32_t credits = 1;
  std::uint32_t channels = 1;
  picoseconds packet = 0;  ///< time of a packet of full size
  double bit_error_rate = 0;
  picoseconds mark_least = never, mark_most = never;  ///< queue lengths, as times, at which marking
                                                      ///< starts and is certain
  std::uint32_t mark_share = 0;  ///< mark probability just below mark_most; 2^32 is 1
};

/// The way_finding says how packets find their way.
enum class way_finding : std::uint8_t {
  rings,   ///< the packet header counts the steps left along each axis
  tree,    ///< up, then down
  pairs,   ///< one link
  steered  ///< a steering, router by router
};

/// A tree_router is a switch of a fat tree (or a node, at level 0): its group of the nodes below,
/// and its place among the switches of that group.
struct tree_router {
  std::uint32_t level = 0, group = 0, branch = 0;
  std::uint32_t first_down = no_index;  ///< link to child 0
  std::uint32_t first_up = no_index;    ///< link to parent 0
};

/// A fabric_layout says where the links of a fabric are in the table.
struct fabric_layout {
  topology shape;
  std::uint32_t nodes = 0;
  std::uint32_t first_link = 0, links = 0;
  std::uint32_t ports = 0;                   ///< per node of torus and all_to_all
  std::uint32_t routers = 0;                 ///< nodes first
  std::uint32_t rail_routers = 0;            ///< switches of one rail
  std::vector<tree_router> tree;             ///< by router; level 0 has the links of rail 0
  std::vector<std::uint64_t> below, beside;  ///< per level: nodes below, parallel switches
  std::uint32_t packet_bytes = 0;
  picoseconds entry_latency = 0;  ///< latency into the first router
  std::uint32_t transmit_packets = 0, receive_packets = 0;
  std::uint32_t channels = 1, credits = 1;  ///< largest numbers among its links
  std::size_t first_credit = 0;             ///< index of its first entry in link_table::credits
  bool has_dead = false;
  way_finding found_by = way_finding::rings;
  std::array<std::uint32_t, 8> strides{};  ///< distance in nodes (or hyperx switches) between
                                           ///< neighbours along an axis
  big_vector<std::uint32_t> downs;         ///< by node: the link from its switch, if there are
                                           ///< switches but no tree
  big_vector<std::uint32_t> first_of;      ///< by router: its first link; then the end
  std::uint32_t classes = 1;               ///< number of virtual channels that its routing needs
  std::shared_ptr<graph_ways> ways;        ///< ways through a graph
  divisor hosts;                           ///< nodes on a switch
  group_wiring wiring;                     ///< global cables of a dragonfly or dragonfly+
  std::optional<congestion_control> control;
  double line_rate = 0;  ///< bytes per second of its first link

  /// Returns whether packets carry a steering with a random draw.
  [[nodiscard]] bool is_steered() const noexcept { return found_by == way_finding::steered; }
  /// Returns a node's switch; not for fat trees, nor if nodes are routers.
  [[nodiscard]] std::uint32_t home_of(std::uint32_t node) const noexcept {
    if (shape.kind == topology_kind::graph) return shape.graph.host_switch[node];
    const auto leaf = hosts.quotient(node);
    return shape.kind == topology_kind::hyperx ? leaf : wiring.leaf(leaf);
  }
  /// Returns the number of a virtual channel within this fabric.
  [[nodiscard]] std::size_t local_channel(std::uint32_t link,
                                          std::uint32_t channel) const noexcept {
    return std::size_t{link - first_link} * channels + channel;
  }
  /// Returns the index of a virtual channel's first credit without reading the link.
  [[nodiscard]] std::size_t first_credit_of(std::uint32_t link,
                                            std::uint32_t channel) const noexcept {
    return first_credit + local_channel(link, channel) * credits;
  }
};

struct link_table {
  big_vector<link> links;
  credit_table credits;  ///< by link, channel and credit
  std::vector<link_kind> kinds;
  std::vector<fabric_layout> fabrics;

  /// The description must have passed its check.
  explicit link_table(const machine_description& machine);

  /// Returns the credits of a virtual channel of a link.
  [[nodiscard]] channel_credits credits_of(std::uint32_t link, std::uint32_t channel) const {
    return {fabrics[links[link].fabric].first_credit_of(link, channel),
            kinds[links[link].kind].credits};
  }

  /// Returns the fabric of a link without reading the link.
  [[nodiscard]] const fabric_layout& layout_of(std::uint32_t link) const {
    auto found = fabrics.size() - 1;
    while (fabrics[found].first_link > link) --found;
    return fabrics[found];
  }

  /// An end is the router that has the link among its outputs, and the port.
  struct end {
    std::uint32_t router, port;
  };
  [[nodiscard]] end from(std::uint32_t link) const;
  /// Returns the opposite direction of the same cable.
  [[nodiscard]] std::uint32_t partner(std::uint32_t link) const;

 private:
  void add_kinds(const fabric& net, std::uint16_t first);
  void lay_rings(fabric_layout& layout, std::uint16_t kind, std::size_t kind_count);
  void lay_tree(fabric_layout& layout, std::uint16_t kind, std::size_t kind_count);
  void lay_pairs(fabric_layout& layout, std::uint16_t kind);
  void lay_switches(fabric_layout& layout, std::uint16_t kind, std::size_t kind_count);
  void cut(const dead_link& where);
};

}  // namespace onehop::netsim
