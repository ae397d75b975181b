#pragma once
/// A traffic pattern says which node a message of another goes to.

#include <cstdint>
#include <string>
#include <vector>

#include "netsim/machine/machine_description.hpp"

namespace onehop::netsim {

enum class traffic_pattern : std::uint8_t {
  uniform,         ///< any other node, drawn for every message
  shift,           ///< the node `distance` further
  bit_complement,  ///< node i to nodes - 1 - i
  permutation,     ///< a permutation drawn once, in one cycle through all nodes
  adversarial      ///< what the minimal routing of the topology does worst on
};

/// The targets of a machine's nodes on its first fabric. The adversarial pattern is
/// of a dragonfly or dragonfly+: a node of the next group, drawn for every message (Kim et al.);
/// of a HyperX: the node of the same place on the next switch along the first axis;
/// of a torus or rings: tornado, (extent - 1) / 2 further along the first axis (Singh et al.,
/// 2003); of a mesh: the node opposite through the middle; of a fat tree: the node half of the
/// machine further; of all pairs: the next node.
class traffic_targets {
 public:
  /// Throws usage_error for less than two nodes, for a distance that is a multiple of them, and for
  /// an adversarial pattern of a graph, of which none is known.
  traffic_targets(const machine_description& machine, traffic_pattern pattern,
                  std::uint32_t distance, std::uint64_t seed);

  /// Returns the target of a message from a node, which may be that node itself: then nothing is
  /// sent. `draw` is a random number of the message.
  [[nodiscard]] std::uint32_t operator()(std::uint32_t origin, std::uint32_t draw) const;

 private:
  [[nodiscard]] std::uint32_t worst(std::uint32_t origin, std::uint32_t draw) const;
  void permute(std::uint64_t seed);

  topology shape_;
  traffic_pattern pattern_;
  std::uint32_t nodes_, distance_;
  std::vector<std::uint32_t> permuted_;
};

}  // namespace onehop::netsim
