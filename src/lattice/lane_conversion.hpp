#pragma once
/// A lane_conversion converts fields between two storage types and numbers of lanes.

#include "lattice/lane_field.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace onehop {

/// The conversion is between two layouts of one block. Both split it in the same order, so the
/// layout with more lanes cuts the sub-blocks of the other further: the sites of a vector with
/// fewer lanes lie in a single vector with more lanes, in lanes that are the same for each vector
/// of a part of a sub-block.
///
///     x extent 8     2 lanes: 0 4 | 1 5 | 2 6 | 3 7     4 lanes: 0 2 4 6 | 1 3 5 7
///                    part:     0     0     1     1               of parts: 0 1 0 1
class lane_conversion {
 public:
  lane_conversion(const lane_layout& one, const lane_layout& other);

  /// A job is two fields of these two layouts, converted in either direction, and equally many
  /// right-hand sides of each: those of `to` are set to those of `from`, in order.
  struct job {
    const lane_field* from;
    std::span<const int> from_sides;
    lane_field* to;
    std::span<const int> to_sides;
    /// The vectors are added instead of copied; adding to fields of half precision is not possible.
    bool adds = false;
  };
  /// Converts the vectors `begin` to `end`, counted in the layout with fewer lanes, so that threads
  /// may share a conversion.
  void convert(const job& what, std::size_t begin, std::size_t end) const;
  /// Converts all vectors of the field.
  void convert(const lane_field& from, lane_field& to) const;
  /// Returns how many vectors the field has in the layout with fewer lanes.
  std::size_t narrow_vectors(int parity) const noexcept { return parts_[parity].size(); }

 private:
  /// A vector_part says where the lanes of a vector with fewer lanes are in the other layout.
  struct vector_part {
    std::int32_t vector;  ///< number of the vector with more lanes
    std::int32_t part;
  };
  /// Calls copy(block of `from`, block of `to`, lanes of the block with more lanes) for the blocks
  /// of some vectors.
  template <class Copy>
  void for_each_block(const job& what, std::size_t begin, std::size_t end, const Copy& copy) const;
  template <class From, class To, bool adds>
  void convert_reals(const job& what, std::size_t begin, std::size_t end) const;
  void convert_sites(const job& what, std::size_t begin, std::size_t end) const;

  int narrow_lanes_;
  std::array<std::vector<vector_part>, 2> parts_;  ///< by parity
  std::vector<std::int32_t> lanes_;                ///< lanes as [part][lane]
};

}  // namespace onehop
