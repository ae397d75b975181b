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

/// A bond returns the coupling from a site (global coordinate) to the next one upwards in a
/// direction 0, 1 or 2.
using bond = std::function<double(const onehop::coordinate& site, int direction)>;

/// Returns bonds for a lattice of these extents: Gaussian of mean 0 and variance 1, +1 or -1 with
/// equal chance, or 1. Every rank gets the same coupling of a bond, whichever of its ends it has.
bond random_bonds(disorder kind, std::uint64_t seed, const onehop::coordinate& extents);

/// couplings has all couplings that a block needs, those across its lower faces included.
template <class Real>
class couplings {
 public:
  couplings(const checkerboard& block, const bond& strengths);

  const checkerboard& block() const noexcept { return block_; }
  /// Returns the couplings from sites of a colour upwards in a direction, laid out as a component
  /// of spins; those in the next direction lie block().pitch() behind.
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
  /// Both colours lie behind each other, by half a page apart from where spins do, so that lines of
  /// the same place do not displace each other from a cache.
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
