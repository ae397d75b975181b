#pragma once
/// A network between nodes: its shape and its links.

#include <cstdint>
#include <string>
#include <vector>

#include "netsim/machine/time.hpp"

namespace onehop::netsim {

enum class topology_kind : std::uint8_t { torus, coupled_rings, fat_tree, all_to_all };

/// One step up in a fat tree: a switch has `down` children, and `up` parents above it.
struct tree_level {
  std::uint32_t down = 1;
  std::uint32_t up = 1;  ///< links from each child to this level
};

/// `torus`: 1 to 4 axes, dimension order, each axis the short way round; a ring is a torus of one
/// axis. `coupled_rings`: two rings, extents {n, 2}, one cable between partners. `fat_tree`: up to
/// the least common level and down, `levels` from the nodes up, `rails` copies of the tree.
/// `all_to_all`: a link per pair.
struct topology {
  topology_kind kind = topology_kind::torus;
  std::vector<std::uint32_t> extents;  ///< of torus and coupled rings
  std::vector<tree_level> levels;      ///< of a fat tree
  std::uint32_t rails = 1;             ///< of a fat tree; messages of a node take turns
  std::uint32_t nodes = 0;             ///< of all_to_all

  /// Nodes that it connects.
  [[nodiscard]] std::uint64_t capacity() const noexcept;
};

/// A cable, each direction of it alone. A packet of n bytes takes (n + framing_bytes) / (raw_rate *
/// efficiency) and its head arrives `latency` later. `credits` is how many packets the far side can
/// hold per virtual channel; a credit is back `latency` after the packet has left there.
/// A damaged packet (each bit with probability bit_error_rate, framing included) is noticed by its
/// CRC at its end; the link goes back to it, having wasted its time and `retry` more.
struct cable {
  double raw_rate = 0;    ///< bytes per second
  double efficiency = 1;  ///< of coding and protocol
  std::uint32_t framing_bytes = 0;
  picoseconds latency = 0;
  std::uint32_t credits = 8;
  std::uint32_t virtual_channels = 2;
  double bit_error_rate = 0;
  picoseconds retry = 0;  ///< 0: twice the latency
};

struct fabric {
  std::string name;
  topology shape;
  std::vector<cable> links;            ///< one for all, or one per axis or level
  std::uint32_t packet_bytes = 4096;   ///< most payload of a packet
  picoseconds router_latency = 0;      ///< per router passed, first and last included
  std::uint32_t transmit_packets = 8;  ///< that a node holds between its DMA and the router
  std::uint32_t receive_packets = 8;   ///< that a node holds behind the router
};

}  // namespace onehop::netsim
