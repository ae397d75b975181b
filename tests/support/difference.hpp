#pragma once
/// Tests compare fields by their largest difference with these functions. std::max would pass over
/// a NaN, and with it over the worst of all results.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace onehop::tests {

/// Returns the larger of both, where `b` counts as infinite if it is NaN.
inline double larger(double a, double b) noexcept {
  return std::max(a, std::isnan(b) ? std::numeric_limits<double>::infinity() : b);
}

/// Returns the largest |a_k - b_k|. Throws std::logic_error for fields of different sizes.
template <class Field>
double largest_difference(const Field& a, const Field& b) {
  if (a.size() != b.size()) throw std::logic_error("fields of different sizes are compared");
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = larger(largest, std::abs(a[k] - b[k]));
  return largest;
}

}  // namespace onehop::tests
