#include "netsim/workload/traffic_pattern.hpp"

#include <algorithm>
#include <numeric>
#include <onehop/error.hpp>
#include <utility>

#include <onehop/random.hpp>
#include "base/text.hpp"

namespace onehop::netsim {

traffic_targets::traffic_targets(const machine_description& machine, traffic_pattern pattern,
                                 std::uint32_t distance, std::uint64_t seed)
    : shape_(machine.fabrics.at(0).shape),
      pattern_(pattern),
      nodes_(machine.nodes),
      distance_(distance % machine.nodes) {
  if (nodes_ < 2) throw usage_error("traffic needs two nodes at least");
  if (pattern == traffic_pattern::shift && distance_ == 0)
    throw usage_error(text("a shift by ", distance, " leads every one of ", nodes_,
                           " nodes to itself; choose another distance"));
  if (pattern == traffic_pattern::adversarial && shape_.kind == topology_kind::graph)
    throw usage_error("no adversarial pattern is known of a graph; choose another one");
  if (pattern == traffic_pattern::permutation) permute(seed);
}

// Sattolo's shuffle makes one cycle, so that no node sends to itself.
void traffic_targets::permute(std::uint64_t seed) {
  permuted_.resize(nodes_);
  std::iota(permuted_.begin(), permuted_.end(), 0U);
  for (auto last = nodes_ - 1; last > 0; --last) {
    const auto words = philox4x32({last, 0, 0, 2}, {static_cast<std::uint32_t>(seed),
                                                    static_cast<std::uint32_t>(seed >> 32)});
    std::swap(permuted_[last], permuted_[words[0] % last]);
  }
}

std::uint32_t traffic_targets::operator()(std::uint32_t origin, std::uint32_t draw) const {
  switch (pattern_) {
    case traffic_pattern::uniform: {
      const auto other = draw % (nodes_ - 1);
      return other + (other >= origin ? 1 : 0);
    }
    case traffic_pattern::shift:
      return (origin + distance_) % nodes_;
    case traffic_pattern::bit_complement:
      return nodes_ - 1 - origin;
    case traffic_pattern::permutation:
      return permuted_[origin];
    case traffic_pattern::adversarial:
      break;
  }
  return worst(origin, draw);
}

std::uint32_t traffic_targets::worst(std::uint32_t origin, std::uint32_t draw) const {
  switch (shape_.kind) {
    case topology_kind::dragonfly:
    case topology_kind::dragonfly_plus: {
      const auto of_group = shape_.hosts * shape_.grouped.leaves;
      const auto groups = (nodes_ + of_group - 1) / of_group;
      const auto first = (origin / of_group + 1) % groups * of_group;
      return first + draw % std::min(of_group, nodes_ - first);
    }
    case topology_kind::hyperx: {
      const auto extent = shape_.switch_extents[0];
      const auto at = origin / shape_.hosts, place = at % extent;
      const auto target =
          (at - place + (place + 1) % extent) * shape_.hosts + origin % shape_.hosts;
      return target < nodes_ ? target : origin;
    }
    case topology_kind::torus:
    case topology_kind::coupled_rings: {
      const auto extent = shape_.extents[0], place = origin % extent;
      return origin - place + (place + std::max(1U, (extent - 1) / 2)) % extent;
    }
    case topology_kind::mesh:
      return nodes_ - 1 - origin;
    case topology_kind::fat_tree:
      return (origin + nodes_ / 2) % nodes_;
    default:
      return (origin + 1) % nodes_;
  }
}

}  // namespace onehop::netsim
