#pragma once
/// Shortest ways through a graph of switches are found when they are asked for.

#include <cstdint>
#include <deque>
#include <vector>

#include "netsim/machine/fabric.hpp"

namespace onehop::netsim {

/// graph_ways has the neighbours of every switch, and the distances to the switches that packets
/// go to. Those to one goal take a byte per switch, and are kept for as many goals as fit into
/// `most_bytes`, so that memory does not grow with the square of the switches.
class graph_ways {
 public:
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;
  static constexpr std::uint8_t unreached = 255;

  explicit graph_ways(const switch_graph& graph);

  /// Returns the neighbours of a switch from `begin[at]` to `begin[at + 1]`; a switch stands as
  /// often as it has cables.
  std::vector<std::uint32_t> begin, neighbours;

  /// Returns, by switch, how many cables it is away from the goal.
  const std::vector<std::uint8_t>& distances_to(std::uint32_t goal);

  /// Returns the largest distance between two switches, or `unreached` where some are not connected
  /// or more than 254 apart. It looks from 64 switches at once, a bit each.
  [[nodiscard]] std::uint32_t diameter() const;

 private:
  [[nodiscard]] std::uint32_t reach(std::uint32_t first) const;

  std::vector<std::vector<std::uint8_t>> found_;  // by goal, empty where it was not asked for
  std::deque<std::uint32_t> kept_;                // goals in the order in which they were asked for
};

}  // namespace onehop::netsim
