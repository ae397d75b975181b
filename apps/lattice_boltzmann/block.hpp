#pragma once
/// A block is a rank's part of the lattice, with the positions of its cells in memory.

#include <onehop/cartesian.hpp>

#include <array>
#include <cstddef>

namespace lattice_boltzmann {

/// Cells lie with x running fastest and one ghost cell around them. Rows begin with a cache line,
/// so that the ghosts at both ends of a row share the line between it and the next row. Coordinates
/// count from the block's first cell.
class block {
 public:
  /// The constructor throws onehop::usage_error unless the lattice has three dimensions.
  block(const onehop::cartesian& ranks, std::size_t cell_bytes);

  const onehop::cartesian& ranks() const noexcept { return ranks_; }
  int extent(std::size_t mu) const noexcept { return ranks_.local()[mu]; }
  std::size_t cells() const noexcept { return ranks_.local_volume(); }
  /// Returns the distance in memory to the next cell in dimension mu.
  std::ptrdiff_t stride(std::size_t mu) const noexcept { return strides_[mu]; }
  std::ptrdiff_t index(int x, int y, int z) const noexcept {
    return first_ + x + y * strides_[1] + z * strides_[2];
  }
  /// Returns the memory of one number for each cell; consecutive arrays of this size begin in
  /// different sets of a cache.
  std::ptrdiff_t pitch() const noexcept { return pitch_; }
  /// Returns true if this rank has the whole extent and the extent is periodic.
  bool alone_in(int mu) const noexcept { return !ranks_.distributed(mu) && ranks_.periodic(mu); }

 private:
  onehop::cartesian ranks_;
  std::array<std::ptrdiff_t, 3> strides_;
  std::ptrdiff_t first_, pitch_;
};

}  // namespace lattice_boltzmann
