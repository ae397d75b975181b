#pragma once
/// A vector_order is the order in which a hop processes the vectors that it writes.

#include "lattice/lane_layout.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace onehop {

/// A vector_order lists the vectors of one parity: all of them, and separately those that need no
/// ghosts and those that do.
class vector_order {
 public:
  /// A group contains vectors that need the same ghost faces; bit d stands for direction d.
  struct group {
    unsigned faces;
    std::span<const std::int32_t> vectors;
  };

  vector_order(const vector_order&) = delete;
  vector_order& operator=(const vector_order&) = delete;
  vector_order(vector_order&&) = default;
  vector_order& operator=(vector_order&&) = default;
  ~vector_order() = default;
  /// The `pieces` of y, z and t are processed one after another, each in index order.
  vector_order(const lane_layout& layout, int parity, const std::array<int, 3>& pieces);

  std::span<const std::int32_t> all() const noexcept { return all_; }
  std::span<const std::int32_t> interior() const noexcept { return interior_; }
  /// Returns the vectors that need ghosts, group by group.
  std::span<const std::int32_t> boundary() const noexcept { return boundary_; }
  std::span<const group> groups() const noexcept { return groups_; }

 private:
  void sort(const lane_layout& layout, int parity, const std::array<int, 3>& pieces);
  void make_groups(const lane_layout& layout, int parity);

  std::vector<std::int32_t> all_, interior_, boundary_;
  std::vector<group> groups_;
};

/// Returns pieces small enough that all slices read by a hop to one slice of constant t, at
/// `vector_bytes` per vector, fit in `bytes`: a slice read as the one ahead is then still cached
/// when the hop is at it and beyond it. There is at least one piece per thread; the threads then
/// share slices and the memory these take. While there are planes left to cut apart, z is cut and
/// not y: a piece of whole planes has fewer outside neighbours than its size suggests, since its
/// rows share some that are soon read again.
std::array<int, 3> fitting_pieces(const lane_layout& layout, std::size_t vector_bytes,
                                  std::size_t bytes, int threads);

}  // namespace onehop
