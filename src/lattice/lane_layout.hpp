#pragma once
/// A lane_layout says how the sites of a block are distributed over SIMD lanes.

#include "lattice/lane_neighbour.hpp"

#include <onehop/geometry.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace onehop {

/// No instruction set for which kernels are built has more lanes.
inline constexpr int most_lanes = 64;

/// The block is cut into `lane_grid` equal sub-blocks; vector k holds site k of every sub-block,
/// one per lane. All lanes of a vector do the same thing, and only vectors on the surface of a
/// sub-block need their neighbours' lanes rearranged:
///
///     x extent 8, 2 lanes:   site  0 1 2 3 | 4 5 6 7        vector 3 = sites 3 | 7
///                            lane  0 0 0 0 | 1 1 1 1        its right neighbour = sites 4 | 0,
///                                                           vector 0 with lanes rotated
///
/// A direction is split only if the sub-block extent stays even, so that the lanes of a vector have
/// one parity, and no shorter than hops reach, so that a hop crosses at most one edge of a
/// sub-block. Vectors of each parity are numbered separately, x fastest.
///
/// Operators with `reach` 3 make one-site and three-site hops. Their ghost faces are three layers
/// thick, nearest layer first, and serve both.
class lane_layout {
 public:
  struct lane_index {
    int parity;
    std::int32_t vector;
    int lane;
  };

  /// Returns the largest number of lanes, at most `max_lanes` (a power of two), that fits the
  /// block.
  static int fitting_lanes(const onehop::geometry& geometry, int max_lanes, int reach = 1);
  /// The `reach` is 1 or 3. The constructor throws usage_error if an extent of the lattice is odd,
  /// or if the block is thinner than hops reach in a distributed direction.
  lane_layout(const onehop::geometry& geometry, int lanes, int reach = 1);

  const onehop::geometry& geometry() const noexcept { return geometry_; }
  int lanes() const noexcept { return lanes_; }
  int reach() const noexcept { return reach_; }

  /// Returns the extents of the sub-block that lane 0 holds.
  const coordinate& sub_block() const noexcept { return sub_block_; }

  std::int32_t vectors(int parity) const noexcept {
    return static_cast<std::int32_t>(sites_[parity].size());
  }
  /// Returns the coordinate of lane 0 of a vector within the block.
  const coordinate& first_site(int parity, std::int32_t vector) const {
    return sites_[parity][vector];
  }
  coordinate site(int parity, std::int32_t vector, int lane) const;
  lane_index locate(const coordinate& local_site) const;

  /// Returns the neighbours, as [vector][8 directions], of the vectors of one parity at `distance`
  /// sites: 1 or reach().
  std::span<const lane_neighbour> neighbours(int parity, int distance = 1) const noexcept {
    return (distance == 1 ? neighbours_ : far_neighbours_)[parity];
  }

  /// Returns for each vector a mask in which bit d is set if direction d leaves the sub-block, so
  /// that lanes must be rearranged or come from another rank. All other neighbours are read as
  /// stored.
  std::span<const std::uint8_t> edges(int parity, int distance = 1) const noexcept {
    return (distance == 1 ? edges_ : far_edges_)[parity];
  }

  /// Returns the source lane of each lane for a step in `direction` off a sub-block. Lanes at the
  /// edge of the block in a distributed direction get lanes() + their place in the ghost entry, so
  /// that one two-source shuffle of (wrapped neighbour, ghost entry) is enough.
  std::span<const std::int32_t> shuffle(int direction) const noexcept {
    return {shuffles_[direction].data(), static_cast<std::size_t>(lanes_)};
  }

  /// Returns how many lanes a face entry holds: those at the edge of the lane grid.
  int face_lanes(int mu) const noexcept { return lanes_ / lane_grid_[mu]; }
  /// Returns the vectors of `parity` that the neighbour in `direction` needs, in the order of its
  /// ghost entries: by layer, then by number.
  std::span<const std::int32_t> face_vectors(int parity, int direction) const noexcept {
    return faces_[parity][direction];
  }
  /// Returns the lanes that take part, in ascending order.
  std::span<const std::int32_t> face_lane_list(int direction) const noexcept {
    return face_lanes_[direction];
  }
  /// Returns how many entries the ghost face in `direction` has on this rank for fields of
  /// `parity`; the neighbour sends equally many.
  std::int32_t ghost_entries(int parity, int direction) const noexcept {
    return ghost_entries_[parity][direction];
  }

 private:
  void number_vectors();
  /// Returns how many entries the layers before `layer` of a ghost face have.
  std::int32_t entries_before(int layer, int parity, int direction) const;
  std::vector<lane_neighbour> connect(int parity, int distance) const;
  void make_shuffles(int mu);
  void make_faces(int mu);
  std::int32_t vector_at(const coordinate& sub_block_site) const;
  coordinate lane_position(int lane) const;

  onehop::geometry geometry_;
  int lanes_, reach_;
  coordinate lane_grid_{1, 1, 1, 1};
  coordinate sub_block_{};
  std::array<std::vector<coordinate>, 2> sites_;
  std::vector<std::int32_t> vector_of_;  // number of the vector, by site of the sub-block
  std::array<std::vector<lane_neighbour>, 2> neighbours_, far_neighbours_;
  std::array<std::vector<std::uint8_t>, 2> edges_, far_edges_;
  std::array<std::vector<std::int32_t>, 8> shuffles_;
  std::array<std::array<std::vector<std::int32_t>, 8>, 2> faces_;
  std::array<std::vector<std::int32_t>, 8> face_lanes_;
  std::array<std::array<std::int32_t, 8>, 2> ghost_entries_{};
};

}  // namespace onehop
