#pragma once
/// Fields from one storage and number of lanes to another.

#include "lattice/lane_field.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace onehop {

/// Between two layouts of one block. Since both split it in the same order, that with more lanes
/// cuts the sub-blocks of the other once more: the sites of a vector of the one with fewer lie in
/// one vector of the other, in lanes that are the same for each vector of a part of a sub-block.
///
///     x extent 8     2 lanes: 0 4 | 1 5 | 2 6 | 3 7     4 lanes: 0 2 4 6 | 1 3 5 7
///                    part:     0     0     1     1               of parts: 0 1 0 1
class lane_conversion {
 public:
  lane_conversion(const lane_layout& one, const lane_layout& other);

  /// Fields of these two layouts, one or the other, and right-hand sides of each: as many, those of
  /// `to` becoming those of `from`, in order.
  struct job {
    const lane_field* from;
    std::span<const int> from_sides;
    lane_field* to;
    std::span<const int> to_sides;
    /// The vectors are added instead of copied; fields of half precision cannot be added to.
    bool adds = false;
  };
  /// Of the vectors with fewer lanes some: threads may share a conversion.
  void convert(const job& what, std::size_t begin, std::size_t end) const;
  /// Selects all of the field.
  void convert(const lane_field& from, lane_field& to) const;
  /// Returns how many vectors the selection has.
  std::size_t narrow_vectors(int parity) const noexcept { return places_[parity].size(); }

 private:
  /// These are the lanes of a vector with fewer of them.
  struct place {
    std::int32_t vector;  ///< with more lanes
    std::int32_t part;
  };
  /// copy(block of `from`, block of `to`, lanes of that with more) for the blocks of some vectors.
  template <class Copy>
  void for_each_block(const job& what, std::size_t begin, std::size_t end, const Copy& copy) const;
  template <class From, class To, bool adds>
  void convert_reals(const job& what, std::size_t begin, std::size_t end) const;
  void convert_sites(const job& what, std::size_t begin, std::size_t end) const;

  int narrow_lanes_;
  std::array<std::vector<place>, 2> places_;  ///< by parity
  std::vector<std::int32_t> lanes_;           ///< [part][lane]
};

}  // namespace onehop
