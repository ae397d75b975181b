#pragma once
/// unit_counts sums many doubles at once, as integer multiples of powers of two.

#include <array>
#include <cstddef>
#include <cstdint>

namespace onehop {

/// unit_counts takes at most the first number of terms at once, and always a multiple of the second
/// number.
constexpr std::size_t most_counted = 1024, counted_together = 16;

/// The exponents below lie in this range: smaller units or larger rounders would not be doubles.
constexpr int least_above = -970, most_above = 1000;

/// Returns the exponent of a power of two above all terms, or least_above if all are zero. NaN
/// terms are ignored.
int exponent_above(const double* terms, std::size_t count) noexcept;

/// The sum of terms below 2^above is counts[0] 2^(above - 50) + counts[1] 2^(above - 101), without
/// rounding, plus the sum of `rest`, which has as many terms and may be `terms`.
struct unit_counts {
  static constexpr std::array units = {-50, -101};

  std::array<std::int64_t, 2> counts;
  bool leaves_rest;  ///< true if a term of the rest is not zero
};
unit_counts count_units(const double* terms, double* rest, std::size_t count, int above) noexcept;

}  // namespace onehop
