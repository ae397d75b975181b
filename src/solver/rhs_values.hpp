#pragma once
/// rhs_values are one number for each right-hand side of a field.

#include <cmath>
#include <complex>
#include <span>
#include <vector>

namespace onehop {

using rhs_values = std::vector<double>;
using complex_values = std::vector<std::complex<double>>;

/// Returns the values of only these right-hand sides.
template <class Value>
std::vector<Value> picked(const std::vector<Value>& values, std::span<const int> rhs) {
  std::vector<Value> result;
  result.reserve(rhs.size());
  for (const int n : rhs) result.push_back(values[n]);
  return result;
}

/// Returns the square root of each.
inline rhs_values roots(rhs_values values) {
  for (double& value : values) value = std::sqrt(value);
  return values;
}

/// factors are a real or complex number for each right-hand side, or one real for all. They refer
/// to the object they were made from.
class factors {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a factor is what it was made from.
  factors(const double& for_all) : data_(&for_all), step_(0) {}
  factors(const rhs_values& each) : data_(each.data()), step_(1) {}
  factors(const complex_values& each)
      : data_(reinterpret_cast<const double*>(each.data())), step_(2) {}
  // NOLINTEND(google-explicit-constructor)

  const double* data() const noexcept { return data_; }
  /// Returns the distance from one right-hand side to the next.
  int step() const noexcept { return step_; }

 private:
  const double* data_;
  int step_;
};

}  // namespace onehop
