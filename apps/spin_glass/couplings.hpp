#pragma once
/// These are the quenched couplings of a sample.

#include "checkerboard.hpp"

#include <common/aligned_array.hpp>

#include <onehop/cartesian.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace spin_glass {

enum class disorder : std::uint8_t { gaussian, plus_minus, ferromagnet };
/// Returns the disorder of "gaussian", "pm1" or "ferromagnet"; throws onehop::usage_error for
/// another word.
disorder disorder_named(std::string_view word);

/// A bond returns the coupling from a site (global coordinate) to its upper neighbour in direction
/// 0, 1 or 2.
using bond = std::function<double(const onehop::coordinate& site, int direction)>;

/// Returns bonds for a lattice of these extents: Gaussian with mean 0 and variance 1, +1 or -1 with
/// equal probability, or 1. The two ranks at the ends of a bond get the same coupling.
bond random_bonds(disorder kind, std::uint64_t seed, const onehop::coordinate& extents);

/// couplings has all couplings that a block needs, including those across its lower faces.
template <class Real>
class couplings {
 public:
  couplings(const checkerboard& block, const bond& strengths);

  const checkerboard& block() const noexcept { return block_; }
  /// Returns the couplings from sites of a colour upwards in a direction, laid out like a component
  /// of spins; those in the next direction follow block().pitch() further on.
  const Real* upwards(int colour, int direction) const noexcept {
    return upwards_.data() + place(colour, direction);
  }
  /// Returns the couplings from sites of a colour at z = -1 upwards in z, row by row.
  const Real* from_below(int colour) const noexcept {
    return below_[static_cast<std::size_t>(colour)].data();
  }
  /// Returns the couplings from sites of a colour at x = -1 upwards in x, for every second row (y +
  /// rows z) / 2.
  const Real* from_left(int colour) const noexcept {
    return left_[static_cast<std::size_t>(colour)].data();
  }

 private:
  /// The arrays of both colours follow each other. They are half a page apart from the arrays of
  /// spins, so that lines of the same place do not evict each other from a cache.
  std::ptrdiff_t place(int colour, int direction) const noexcept {
    return half_page + (3 * colour + direction) * block_.pitch();
  }
  void fill(int colour, const bond& strengths);

  static constexpr std::ptrdiff_t half_page = 2048 / sizeof(Real);

  checkerboard block_;
  app_common::aligned_array<Real> upwards_;
  std::array<std::vector<Real>, 2> below_, left_;
};

}  // namespace spin_glass
