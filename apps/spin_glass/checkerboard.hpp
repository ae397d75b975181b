#pragma once
/// A checkerboard is a rank's block of the lattice in two colours, and defines where their sites
/// lie in memory.

#include <onehop/cartesian.hpp>

#include <cstddef>
#include <cstdint>

namespace spin_glass {

/// By global coordinates, sites with even x + y + z have colour 0, and the others colour 1. All
/// sites of one colour at one y and z form a row. A component of all sites of a colour is one
/// array. It contains the rows of a plane (one z) one after the other, with an additional row
/// before the first, y = -1, and one after the last, for copies of the rows that lie there.
class checkerboard {
 public:
  /// The constructor throws onehop::usage_error, naming the values, unless there are three even
  /// extents, the grid divides them, and blocks have an even extent in x.
  checkerboard(const onehop::cartesian& ranks, std::size_t number_bytes);

  const onehop::cartesian& ranks() const noexcept { return ranks_; }
  int sites() const noexcept { return ranks_.local()[0] / 2; }  ///< sites in a row
  int rows() const noexcept { return ranks_.local()[1]; }       ///< rows in a plane
  int planes() const noexcept { return ranks_.local()[2]; }
  /// Returns the sites of one colour.
  std::size_t volume() const noexcept { return ranks_.local_volume() / 2; }

  /// Returns x of the first site of a row, counted from the block's first site like all coordinates
  /// here.
  int first_x(int colour, int y, int z) const noexcept {
    return (ranks_.origin()[1] + y + ranks_.origin()[2] + z + colour) & 1;
  }
  /// Returns the place of a row's first site in an array, for y from -1 to rows().
  std::ptrdiff_t row(int y, int z) const noexcept {
    return z * plane_pitch_ + static_cast<std::ptrdiff_t>(y + 1) * sites();
  }
  std::ptrdiff_t plane_pitch() const noexcept { return plane_pitch_; }
  /// Returns the distance from one component to the next, which is the length of an array.
  std::ptrdiff_t pitch() const noexcept { return pitch_; }

  /// Returns the global coordinate of a site of the block or beside it.
  onehop::coordinate global(int x, int y, int z) const noexcept;
  /// Returns the global index, x fastest.
  std::uint64_t index(const onehop::coordinate& global) const noexcept;

 private:
  onehop::cartesian ranks_;
  std::ptrdiff_t plane_pitch_, pitch_;
};

}  // namespace spin_glass
