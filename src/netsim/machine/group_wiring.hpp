#pragma once
/// The global cables of a dragonfly or dragonfly+ are computed, not stored.
///
/// The global ports of a group are numbered consecutively, switch by switch. The first groups - 1
/// of them lead to every other group once, the next groups - 1 once more, and the rest are unused.

#include <cstdint>

#include "netsim/machine/fabric.hpp"

namespace onehop::netsim {

/// A divisor divides by a number known in advance, many times faster than the division instruction.
/// The quotients are exact: the inverse is rounded up in 64 bits, which suffices for 32-bit numbers
/// (Lemire, Kaser and Kurz, Software: Practice and Experience 49 (2019) 953).
class divisor {
 public:
  constexpr explicit divisor(std::uint32_t by = 1) noexcept
      : inverse_(by > 1 ? UINT64_MAX / by + 1 : 0), by_(by) {}

  [[nodiscard]] constexpr std::uint32_t quotient(std::uint32_t number) const noexcept {
    __extension__ using wide = unsigned __int128;
    if (by_ == 1) return number;
    return static_cast<std::uint32_t>(static_cast<wide>(inverse_) * number >> 64);
  }
  [[nodiscard]] constexpr std::uint32_t remainder(std::uint32_t number) const noexcept {
    return number - quotient(number) * by_;
  }

 private:
  std::uint64_t inverse_;
  std::uint32_t by_;
};

/// A global_port is a port of a group.
struct global_port {
  std::uint32_t group = 0, port = 0;
};

/// A group_wiring also numbers the switches of all groups: the switches of a group are consecutive,
/// with its leaves first.
class group_wiring {
 public:
  explicit group_wiring(const switch_groups& of = {})
      : of_(of),
        switches_(of.switches()),
        leaves_(of.leaves),
        ports_(of.global_ports > 0 ? of.global_ports : 1),
        others_(of.groups > 1 ? of.groups - 1 : 1),
        copies_(of.copies()),
        used_(copies_ * (of.groups - 1)) {}

  [[nodiscard]] const switch_groups& of() const noexcept { return of_; }
  /// Returns the number of cables between any two groups.
  [[nodiscard]] std::uint32_t copies() const noexcept { return copies_; }
  [[nodiscard]] std::uint32_t group_of(std::uint32_t at) const noexcept {
    return switches_.quotient(at);
  }
  /// Returns the number of a switch within its group.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t at) const noexcept {
    return switches_.remainder(at);
  }
  /// Converts the number of a leaf among all leaves to its number among all switches.
  [[nodiscard]] std::uint32_t leaf(std::uint32_t number) const noexcept {
    return leaves_.quotient(number) * of_.switches() + leaves_.remainder(number);
  }
  /// Returns which switch holds a port, counted from the first switch with global ports.
  [[nodiscard]] std::uint32_t holder_of(std::uint32_t port) const noexcept {
    return ports_.quotient(port);
  }

  /// Returns whether the port has a cable.
  [[nodiscard]] bool is_used(std::uint32_t port) const noexcept { return port < used_; }
  /// Returns how many ports of a switch have a cable, given its first port `first`.
  [[nodiscard]] std::uint32_t used_from(std::uint32_t first) const noexcept {
    if (!is_used(first)) return 0;
    return used_ - first < of_.global_ports ? used_ - first : of_.global_ports;
  }
  /// Returns the other end of the cable in a used port.
  [[nodiscard]] global_port across(global_port from) const noexcept {
    const auto others = of_.groups - 1;
    const auto copy = others_.quotient(from.port), offset = others_.remainder(from.port);
    if (of_.order == global_order::palmtree) {
      const auto to = from.group + of_.groups - offset - 1;
      return {to < of_.groups ? to : to - of_.groups, copy * others + others - 1 - offset};
    }
    const auto to = offset < from.group ? offset : offset + 1;
    return {to, copy * others + (from.group < to ? from.group : from.group - 1)};
  }
  /// Returns the port that holds cable number `copy` from group `from` to group `to`.
  [[nodiscard]] std::uint32_t port_to(std::uint32_t from, std::uint32_t to,
                                      std::uint32_t copy) const noexcept {
    const auto others = of_.groups - 1;
    if (of_.order == global_order::palmtree)
      return copy * others + (from < to ? from + of_.groups - to : from - to) - 1;
    return copy * others + (to < from ? to : to - 1);
  }

 private:
  switch_groups of_;
  divisor switches_, leaves_, ports_, others_;
  std::uint32_t copies_, used_;
};

}  // namespace onehop::netsim
