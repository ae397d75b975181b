#pragma once
/// The global cables of a dragonfly or dragonfly+ are computed, not kept.
///
/// The global ports of a group are numbered, those of a switch together. The first groups - 1 of
/// them lead to every other group once, the next groups - 1 once more, and what is left is unused.

#include <cstdint>

#include "netsim/machine/fabric.hpp"

namespace onehop::netsim {

/// A global_port is a port of a group.
struct global_port {
  std::uint32_t group = 0, port = 0;
};

class group_wiring {
 public:
  explicit group_wiring(const switch_groups& of) : of_(of) {}

  /// Returns whether a cable is in the port.
  [[nodiscard]] bool is_used(std::uint32_t port) const noexcept {
    return of_.groups > 1 && port < of_.copies() * (of_.groups - 1);
  }
  /// Returns the other end of the cable in a port that is used.
  [[nodiscard]] global_port across(global_port from) const noexcept {
    const auto others = of_.groups - 1;
    const auto copy = from.port / others, offset = from.port % others;
    if (of_.order == global_order::palmtree) {
      const auto to = (from.group + of_.groups - offset - 1) % of_.groups;
      return {to, copy * others + others - 1 - offset};
    }
    const auto to = offset < from.group ? offset : offset + 1;
    return {to, copy * others + (from.group < to ? from.group : from.group - 1)};
  }
  /// Returns the port of a group in which the cable number `copy` to another group is.
  [[nodiscard]] std::uint32_t port_to(std::uint32_t from, std::uint32_t to,
                                      std::uint32_t copy) const noexcept {
    const auto others = of_.groups - 1;
    if (of_.order == global_order::palmtree)
      return copy * others + (from + of_.groups - to) % of_.groups - 1;
    return copy * others + (to < from ? to : to - 1);
  }

 private:
  const switch_groups& of_;
};

}  // namespace onehop::netsim
