#pragma once
/// Wilson hopping term in the DeGrand-Rossi basis.

#include "dirac/isa/complex_simd.hpp"

namespace onehop {
namespace {

/// Row a (0 or 1) of gamma_mu has one entry, `entry(mu, a)`, in column `column(mu, a)` (2 or 3).
constexpr int column(int mu, int a) { return mu < 2 ? 3 - a : 2 + a; }
constexpr phase entry(int mu, int a) {
  switch (mu) {
    case 0:
      return phase::i;
    case 1:
      return a == 0 ? phase::minus_one : phase::one;
    case 2:
      return a == 0 ? phase::i : phase::minus_i;
    default:
      return phase::one;
  }
}

/// Forward hops carry 1 - gamma, backward ones 1 + gamma; the dagger exchanges them.
constexpr bool minus_gamma(int direction, bool dagger) { return (direction < 4) != dagger; }

/// The upper two spin rows of (1 -+ gamma_mu) psi; the lower two are multiples of them.
template <int Direction, bool Dagger>
struct wilson_site {
  static constexpr int components = 12;
  static constexpr int face_components = 6;
  static constexpr int first_fetched = 0;
  static constexpr int fetched = face_components;
  static constexpr int mu = Direction % 4;
  static constexpr bool minus = minus_gamma(Direction, Dagger);

  template <int A>
  static constexpr phase upper = minus ? negate(entry(mu, A)) : entry(mu, A);
  template <int A>
  static constexpr phase lower = conjugate(upper<A>);

  /// `psi(3 * spin + colour)` is a component.
  template <class V, class Psi>
  ONEHOP_INLINE static void project(complex_simd<V>* half, const Psi& psi) {
    for (int c = 0; c < 3; ++c) {
      half[c] = add_phase<upper<0>>(psi(c), psi(3 * column(mu, 0) + c));
      half[3 + c] = add_phase<upper<1>>(psi(3 + c), psi(3 * column(mu, 1) + c));
    }
  }

  /// `half` holds colour `row` of the two upper spins. `First` sets the sums.
  template <bool First, class V>
  ONEHOP_INLINE static void accumulate(complex_simd<V>* sum, const complex_simd<V>* half, int row) {
    complex_simd<V>* low0 = sum + 3 * column(mu, 0) + row;
    complex_simd<V>* low1 = sum + 3 * column(mu, 1) + row;
    if constexpr (First) {
      sum[row] = half[0];
      sum[3 + row] = half[1];
      *low0 = times_phase<lower<0>>(half[0]);
      *low1 = times_phase<lower<1>>(half[1]);
    } else {
      sum[row] = add_phase<phase::one>(sum[row], half[0]);
      sum[3 + row] = add_phase<phase::one>(sum[3 + row], half[1]);
      *low0 = add_phase<lower<0>>(*low0, half[0]);
      *low1 = add_phase<lower<1>>(*low1, half[1]);
    }
  }
};

template <int Direction>
using wilson_plain = wilson_site<Direction, false>;
template <int Direction>
using wilson_dagger = wilson_site<Direction, true>;

}  // namespace
}  // namespace onehop
