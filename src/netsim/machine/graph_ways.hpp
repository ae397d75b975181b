#pragma once
/// Shortest paths through a graph of switches are computed on request.

#include <cstdint>
#include <deque>
#include <vector>

#include "netsim/machine/fabric.hpp"

namespace onehop::netsim {

/// graph_ways holds the neighbours of every switch, and the distances to the switches that packets
/// go to. The distances to one goal take a byte per switch. They are kept for as many goals as fit
/// into `most_bytes`, so memory does not grow with the square of the number of switches.
class graph_ways {
 public:
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;
  static constexpr std::uint8_t unreached = 255;

  explicit graph_ways(const switch_graph& graph);

  /// The neighbours of switch `at` lie from `begin[at]` to `begin[at + 1]`; a neighbour is listed
  /// once per cable.
  std::vector<std::uint32_t> begin, neighbours;

  /// Returns, by switch, the distance to the goal in cables.
  const std::vector<std::uint8_t>& distances_to(std::uint32_t goal);

  /// Returns the largest distance between two switches, or `unreached` if some are not connected or
  /// are more than 254 apart. It searches from 64 switches at once, one bit each.
  [[nodiscard]] std::uint32_t diameter() const;

 private:
  [[nodiscard]] std::uint32_t reach(std::uint32_t first) const;

  std::vector<std::vector<std::uint8_t>> found_;  // by goal; empty if not requested
  std::deque<std::uint32_t> kept_;                // goals in the order of their requests
};

}  // namespace onehop::netsim
