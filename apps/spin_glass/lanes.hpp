#pragma once
/// These are the elementary functions that the heatbath needs, on lanes. They use only the four
/// arithmetic operations and square roots, so that a site gets the same bits in any lane and on any
/// instruction set.

#include <common/lanes.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

// Each build has a namespace of its own, so that the linker cannot replace this code by code built
// for another instruction set.
namespace spin_glass::ONEHOP_APP_ISA {
namespace {

using app_common::ONEHOP_APP_ISA::all_lanes, app_common::ONEHOP_APP_ISA::lanes,
    app_common::ONEHOP_APP_ISA::load, app_common::ONEHOP_APP_ISA::store,
    app_common::ONEHOP_APP_ISA::vector_bytes, app_common::ONEHOP_APP_ISA::widest;

template <class To, int W, class Vector>
lanes<To, W> converted(const Vector& value) {
  if constexpr (W == 1) {
    return static_cast<To>(value);
  } else {
    return __builtin_convertvector(value, lanes<To, W>);
  }
}
/// Returns a vector whose lane k is lane k - `Up` of `here`; the lane without a source is `beyond`.
template <int Up, class Real, int W>
lanes<Real, W> shifted(const lanes<Real, W>& here, Real beyond) {
  static_assert(Up == 1 || Up == -1);
  if constexpr (W == 1) {
    return beyond;
  } else {
    using index = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
    lanes<index, W> from;
    for (int k = 0; k < W; ++k) from[k] = k - Up;
    from[Up == 1 ? 0 : W - 1] = W;
    lanes<Real, W> other{};
    other[0] = beyond;
    return __builtin_shuffle(here, other, from);
  }
}

template <int W>
using real_lanes = lanes<double, W>;
template <int W>
using whole_lanes = lanes<std::int64_t, W>;

template <int W>
real_lanes<W> square_root(const real_lanes<W>& x) {
  if constexpr (W == 1) {
    return __builtin_sqrt(x);
  } else {
    real_lanes<W> root;
    for (int k = 0; k < W; ++k) root[k] = __builtin_sqrt(x[k]);
    return root;
  }
}

/// Adding and subtracting this rounds a number of less than 2^51 to the nearest integer.
constexpr double rounder = 0x1.8p52;
constexpr double ln2_high = 0x1.62e42fefa3800p-1, ln2_low = 0x1.ef35793c76730p-45;

/// Returns the polynomial of x with these coefficients, the constant one first. Even and odd powers
/// are separate, so that two chains of operations run in parallel.
template <int W, std::size_t N>
real_lanes<W> polynomial(const std::array<double, N>& coefficients, const real_lanes<W>& x) {
  static_assert(N >= 2);
  constexpr std::size_t top = N - 1;
  const real_lanes<W> square = x * x;
  real_lanes<W> same = all_lanes<double, W>(coefficients[top]),
                other = all_lanes<double, W>(coefficients[top - 1]);
#pragma GCC unroll 16
  for (std::size_t k = top; k >= 2; k -= 2) {
    same = same * square + coefficients[k - 2];
    if (k >= 3) other = other * square + coefficients[k - 3];
  }
  return top % 2 == 0 ? same + x * other : other + x * same;
}

/// Returns exp(x) for x <= 0, with a relative error of 3e-16, and 0 below -700. It uses Taylor's
/// series after the reduction to |x| <= ln(2) / 2.
template <int W>
real_lanes<W> exponential(const real_lanes<W>& x) {
  constexpr std::array<double, 14> taylor{1.0,
                                          1.0,
                                          0.5,
                                          1.0 / 6,
                                          1.0 / 24,
                                          1.0 / 120,
                                          1.0 / 720,
                                          1.0 / 5040,
                                          1.0 / 40320,
                                          1.0 / 362880,
                                          1.0 / 3628800,
                                          1.0 / 39916800,
                                          1.0 / 479001600,
                                          1.0 / 6227020800.0};
  const real_lanes<W> held = x > -700.0 ? x : all_lanes<double, W>(-700.0);
  const real_lanes<W> magic = held * 0x1.71547652b82fep0 + rounder;
  const real_lanes<W> k = magic - rounder;
  const real_lanes<W> rest = (held - k * ln2_high) - k * ln2_low;
  const auto power = std::bit_cast<whole_lanes<W>>(magic) - std::bit_cast<std::int64_t>(rounder);
  const auto scale = std::bit_cast<real_lanes<W>>((power + 1023) << 52);
  return x > -700.0 ? polynomial<W>(taylor, rest) * scale : all_lanes<double, W>(0.0);
}

/// Returns log(x) for normal x > 0, with an error of 2e-16 times the larger of its value and 1e-16.
/// It uses the series of the area tangent after the reduction to sqrt(1/2) <= x < sqrt(2).
template <int W>
real_lanes<W> logarithm(const real_lanes<W>& x) {
  constexpr std::array<double, 11> inverses{1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,
                                            1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17,
                                            1.0 / 19, 1.0 / 21, 1.0 / 23};
  constexpr std::int64_t root_half = 0x3fe6a09e667f3bcd;
  const auto bits = std::bit_cast<whole_lanes<W>>(x);
  const whole_lanes<W> up = (bits - root_half) >> 52;
  const auto m = std::bit_cast<real_lanes<W>>(bits - (up << 52));
  const real_lanes<W> e =
      std::bit_cast<real_lanes<W>>(up + std::bit_cast<std::int64_t>(rounder)) - rounder;
  const real_lanes<W> f = (m - 1.0) / (m + 1.0);
  const real_lanes<W> s = f * f;
  const real_lanes<W> tail = f * s * polynomial<W>(inverses, s) * 2.0;
  return e * ln2_high + (2.0 * f + (tail + e * ln2_low));
}

template <int W>
struct point_on_circle {
  real_lanes<W> cosine, sine;
};

/// Returns cosine and sine of 2 pi x for 0 <= x <= 1, each to 3e-16.
template <int W>
point_on_circle<W> around_circle(const real_lanes<W>& x) {
  const real_lanes<W> magic = x * 4.0 + rounder;
  const real_lanes<W> t = (x - (magic - rounder) * 0.25) * 6.283185307179586;
  const real_lanes<W> s = t * t;
  constexpr std::array<double, 7> sines{
      -1.0 / 6,        1.0 / 120,          -1.0 / 5040,           1.0 / 362880,
      -1.0 / 39916800, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
  constexpr std::array<double, 9> cosines{1.0,
                                          -0.5,
                                          1.0 / 24,
                                          -1.0 / 720,
                                          1.0 / 40320,
                                          -1.0 / 3628800,
                                          1.0 / 479001600,
                                          -1.0 / 87178291200.0,
                                          1.0 / 20922789888000.0};
  const real_lanes<W> sine = t + t * s * polynomial<W>(sines, s);
  const real_lanes<W> cosine = polynomial<W>(cosines, s);
  const auto quarter = std::bit_cast<whole_lanes<W>>(magic) & 3;
  const real_lanes<W> along = (quarter & 1) != 0 ? sine : cosine;
  const real_lanes<W> across = (quarter & 1) != 0 ? cosine : sine;
  return {((quarter + 1) & 2) != 0 ? -along : along, (quarter & 2) != 0 ? -across : across};
}

}  // namespace
}  // namespace spin_glass::ONEHOP_APP_ISA
