#pragma once
/// These lanes take the place of those of apps/common where kernels are built to be counted:
/// numbers that know how many operations were done with them.

#include <array>
#include <cstddef>
#include <cstring>

namespace app_common::ONEHOP_APP_ISA {
namespace {

long operations = 0;  ///< additions, multiplications and divisions of lanes so far

template <int W>
struct tallied {
  std::array<double, W> values{};

  tallied() = default;
  tallied(double each) { values.fill(each); }

  double& operator[](int lane) { return values[static_cast<std::size_t>(lane)]; }
  double operator[](int lane) const { return values[static_cast<std::size_t>(lane)]; }

  template <class Operation>
  static tallied of(const tallied& a, const tallied& b, const Operation& operation) {
    ++operations;
    tallied made;
    for (int lane = 0; lane < W; ++lane) made[lane] = operation(a[lane], b[lane]);
    return made;
  }
  friend tallied operator+(const tallied& a, const tallied& b) {
    return of(a, b, [](double x, double y) { return x + y; });
  }
  friend tallied operator-(const tallied& a, const tallied& b) {
    return of(a, b, [](double x, double y) { return x - y; });
  }
  friend tallied operator*(const tallied& a, const tallied& b) {
    return of(a, b, [](double x, double y) { return x * y; });
  }
  friend tallied operator/(const tallied& a, const tallied& b) {
    return of(a, b, [](double x, double y) { return x / y; });
  }
  /// A sign is no operation.
  friend tallied operator-(tallied a) {
    for (double& value : a.values) value = -value;
    return a;
  }
  tallied& operator+=(const tallied& b) { return *this = *this + b; }
  tallied& operator-=(const tallied& b) { return *this = *this - b; }
  tallied& operator*=(const tallied& b) { return *this = *this * b; }
  friend bool operator<(const tallied& a, const tallied& b) { return a[0] < b[0]; }
  friend bool operator>=(const tallied& a, const tallied& b) { return a[0] >= b[0]; }
};

/// Whole numbers are not counted.
template <class Whole, int W>
struct lanes_type {
  using type __attribute__((vector_size(W * sizeof(Whole)))) = Whole;
};
template <int W>
struct lanes_type<double, W> {
  using type = tallied<W>;
};
template <class Number, int W>
using lanes = typename lanes_type<Number, W>::type;

template <class Number>
constexpr int widest = 1;

template <class Number, int W>
lanes<Number, W> load(const Number* from) {
  lanes<Number, W> value;
  std::memcpy(static_cast<void*>(&value), from, sizeof value);
  return value;
}
template <class Number, int W>
void store(Number* to, const lanes<Number, W>& value) {
  std::memcpy(to, &value, sizeof value);
}
/// There is one lane, so that its number is there.
template <class Number, int W>
lanes<Number, W> load_first(const Number* from, int /*count*/) {
  return load<Number, W>(from);
}
template <class Number, int W>
void store_first(Number* to, const lanes<Number, W>& value, int /*count*/) {
  store<Number, W>(to, value);
}

}  // namespace
}  // namespace app_common::ONEHOP_APP_ISA
