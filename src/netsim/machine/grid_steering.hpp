#pragma once
/// On tori and meshes a packet goes along one axis after the other, on each the short way round.

#include <cstdint>

#include "netsim/machine/steering.hpp"

namespace onehop::netsim {

/// A grid_step is what is left to go along an axis.
struct grid_step {
  std::uint32_t axis = 0;
  std::int32_t left = 0;  ///< negative: backward
};

class grid_steering {
 public:
  grid_steering(const fabric_layout& layout, std::uint16_t draw) : layout_(layout), draw_(draw) {}

  /// Returns what is left along an axis; of two equal ways round the draw takes one.
  [[nodiscard]] std::int32_t left(std::uint32_t axis, std::uint32_t at, std::uint32_t goal) const {
    const auto extent = layout_.shape.extents[axis], stride = layout_.strides[axis];
    const auto from = at / stride % extent, to = goal / stride % extent;
    if (layout_.shape.kind == topology_kind::mesh)
      return static_cast<std::int32_t>(to) - static_cast<std::int32_t>(from);
    const auto ahead = (to + extent - from) % extent;
    const bool is_back = 2 * ahead > extent || (2 * ahead == extent && (draw_ >> axis & 1U) != 0);
    return static_cast<std::int32_t>(ahead) - (is_back ? static_cast<std::int32_t>(extent) : 0);
  }
  /// Returns the first axis along which something is left, or an axis that is not there.
  [[nodiscard]] grid_step first(std::uint32_t at, std::uint32_t goal) const {
    const auto axes = static_cast<std::uint32_t>(layout_.shape.extents.size());
    for (std::uint32_t axis = 0; axis < axes; ++axis)
      if (const auto steps = left(axis, at, goal); steps != 0) return {axis, steps};
    return {axes, 0};
  }
  [[nodiscard]] std::uint32_t link(std::uint32_t at, grid_step step) const {
    return layout_.first_link + at * layout_.ports + 2 * step.axis + (step.left < 0 ? 1 : 0);
  }
  /// Returns the channel, 0 or 1 of a pair, of a hop along a ring. A packet that will still cross
  /// the link that closes the ring is on 0, one that crosses it or has done so on 1; `keeps` is the
  /// channel of its hop before on the same axis, and no_index where it enters the axis. Those that
  /// do not cross it fill both.
  [[nodiscard]] std::uint32_t lane(const link_table& net, std::uint32_t at, grid_step step,
                                   std::uint32_t keeps, bool may_balance) const {
    if (layout_.shape.kind == topology_kind::mesh) return 0;
    if (net.links[link(at, step)].closes_ring) return 1;
    const auto extent = static_cast<std::int32_t>(layout_.shape.extents[step.axis]);
    const auto place = static_cast<std::int32_t>(at / layout_.strides[step.axis] %
                                                 layout_.shape.extents[step.axis]);
    const auto last = place + step.left;
    if (last < 0 || last >= extent) return 0;
    if (!may_balance) return 1;
    return keeps == no_index ? static_cast<std::uint32_t>(last) & 1U : keeps;
  }

 private:
  const fabric_layout& layout_;
  std::uint16_t draw_;
};

}  // namespace onehop::netsim
