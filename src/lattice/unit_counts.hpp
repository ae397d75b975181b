#pragma once
/// Sums of many doubles at once, as whole numbers of powers of two.

#include <array>
#include <cstddef>
#include <cstdint>

namespace onehop {

/// Terms that unit_counts takes at once, at most, and what their number must be a multiple of.
constexpr std::size_t most_counted = 1024, counted_together = 16;

/// What the exponents below may be: smaller units would not be doubles, nor larger rounders.
constexpr int least_above = -970, most_above = 1000;

/// The exponent of a power of two above all terms; least_above where all are zero. Those that are
/// not numbers are not looked at.
int exponent_above(const double* terms, std::size_t count) noexcept;

/// The sum of terms below 2^above is counts[0] 2^(above - 50) + counts[1] 2^(above - 101), without
/// rounding, and that of `rest`, which is of as many terms and may be `terms`.
struct unit_counts {
  static constexpr std::array units = {-50, -101};

  std::array<std::int64_t, 2> counts;
  bool leaves_rest;  ///< one of the rest is not zero
};
unit_counts count_units(const double* terms, double* rest, std::size_t count, int above) noexcept;

}  // namespace onehop
