#pragma once
/// A fabric is a network between nodes: its shape and its links.

#include <cstdint>
#include <string>
#include <vector>

#include "netsim/machine/time.hpp"

namespace onehop::netsim {

enum class topology_kind : std::uint8_t { torus, coupled_rings, fat_tree, all_to_all };

/// A tree_level is one step up in a fat tree: a switch has `down` children, and `up` parents above
/// it.
struct tree_level {
  std::uint32_t down = 1;
  std::uint32_t up = 1;  ///< number of links from each child to this level
};

/// The topology says the shape.
/// `torus`: 1 to 4 axes, dimension order, each axis the short way round; a ring is a torus of one
/// axis.
/// `coupled_rings`: two rings, extents {n, 2}, one cable between partners.
/// `fat_tree`: up to the least common level and down, `levels` from the nodes up, `rails` copies of
/// the tree.
/// `all_to_all`: a link per pair.
struct topology {
  topology_kind kind = topology_kind::torus;
  std::vector<std::uint32_t> extents;  ///< extents of a torus and of coupled rings
  std::vector<tree_level> levels;      ///< levels of a fat tree
  std::uint32_t rails = 1;             ///< rails of a fat tree; messages of a node take turns
  std::uint32_t nodes = 0;             ///< number of nodes of all_to_all

  /// Returns the number of nodes that it connects.
  [[nodiscard]] std::uint64_t capacity() const noexcept;
};

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

struct fabric {
  std::string name;
  topology shape;
  std::vector<cable> links;            ///< one link for all, or one per axis or level
  std::uint32_t packet_bytes = 4096;   ///< most payload of a packet
  picoseconds router_latency = 0;      ///< time per router passed, first and last included
  std::uint32_t transmit_packets = 8;  ///< packets that a node holds between its DMA and the router
  std::uint32_t receive_packets = 8;   ///< packets that a node holds behind the router
};

}  // namespace onehop::netsim
