#pragma once
/// In which order a hop works on the vectors that it writes.

#include "lattice/lane_layout.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace onehop {

/// The vectors of one parity: all of them, and apart those that need no ghosts and those that do.
class vector_order {
 public:
  /// Vectors that need the same ghost faces; bit d stands for direction d.
  struct group {
    unsigned faces;
    std::vector<std::int32_t> vectors;
  };

  /// `pieces` of y, z and t are worked on one after the other, each in the order of its numbers.
  vector_order(const lane_layout& layout, int parity, const std::array<int, 3>& pieces);

  std::span<const std::int32_t> all() const noexcept { return all_; }
  std::span<const std::int32_t> interior() const noexcept { return interior_; }
  std::span<const group> boundary() const noexcept { return boundary_; }

 private:
  void sort(const lane_layout& layout, int parity, const std::array<int, 3>& pieces);
  void make_groups(const lane_layout& layout, int parity);

  std::vector<std::int32_t> all_, interior_;
  std::vector<group> boundary_;
};

}  // namespace onehop
