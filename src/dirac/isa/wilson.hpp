#pragma once
/// This is the Wilson hopping term in the kernels' basis (lattice/spin_basis.hpp), where gamma_t is
/// diagonal.

#include "dirac/isa/complex_simd.hpp"

#include <type_traits>

namespace onehop {
namespace {

/// Row a (0 or 1) of gamma_mu, mu < t, has one entry, `entry(mu, a)`, in column `column(mu, a)` (2
/// or 3).
constexpr int column(int mu, int a) { return mu < 2 ? 3 - a : 2 + a; }
constexpr phase entry(int mu, int a) {
  switch (mu) {
    case 0:
      return phase::minus_i;
    case 1:
      return a == 0 ? phase::one : phase::minus_one;
    default:
      return a == 0 ? phase::minus_i : phase::i;
  }
}

/// Forward hops carry 1 - gamma, backward ones 1 + gamma; the dagger exchanges them.
constexpr bool minus_gamma(int direction, bool dagger) { return (direction < 4) != dagger; }

/// In space these are the upper two spin rows of (1 -+ gamma_mu) psi; the lower two are multiples
/// of them.
template <int Mu, bool Minus>
class wilson_in_space {
 protected:
  template <int A>
  static constexpr phase upper = Minus ? negate(entry(Mu, A)) : entry(Mu, A);
  template <int A>
  static constexpr phase lower = conjugate(upper<A>);

  /// `psi(3 * spin + colour)` is a component.
  template <int A, class V, class Psi>
  ONEHOP_INLINE static complex_simd<V> colour_of(const Psi& psi, int c) {
    return add_phase<upper<A>>(psi(3 * A + c), psi(3 * column(Mu, A) + c));
  }
  template <bool First, int A, class V>
  ONEHOP_INLINE static void accumulate_spin(complex_simd<V>* sum, const complex_simd<V>& half,
                                            int row) {
    complex_simd<V>& up = sum[3 * A + row];
    complex_simd<V>& low = sum[3 * column(Mu, A) + row];
    if constexpr (First) {
      up = half;
      low = times_phase<lower<A>>(half);
    } else {
      up = add_phase<phase::one>(up, half);
      low = add_phase<lower<A>>(low, half);
    }
  }
};

/// In time these are half of (1 -+ gamma_t) psi: two spins, so the sums then take twice the
/// product.
template <bool Minus>
class wilson_in_time {
 protected:
  static constexpr int first_spin = Minus ? 2 : 0;

  template <int A, class V, class Psi>
  ONEHOP_INLINE static complex_simd<V> colour_of(const Psi& psi, int c) {
    return psi(3 * (first_spin + A) + c);
  }
  template <bool First, int A, class V>
  ONEHOP_INLINE static void accumulate_spin(complex_simd<V>* sum, const complex_simd<V>& half,
                                            int row) {
    static_assert(!First, "leaves the sums of the other two spins as they are");
    const V two = V::broadcast(2);
    complex_simd<V>& s = sum[3 * (first_spin + A) + row];
    s = {s.re + two * half.re, s.im + two * half.im};
  }
};

/// A wilson_site has the two spins of a neighbour that are sent and multiplied by the link.
template <int Direction, bool Dagger>
struct wilson_site
    : std::conditional_t<Direction % 4 == 3, wilson_in_time<minus_gamma(Direction, Dagger)>,
                         wilson_in_space<Direction % 4, minus_gamma(Direction, Dagger)>> {
  static constexpr bool dagger = Dagger;
  static constexpr int components = 12;
  static constexpr int face_components = 6;
  static constexpr int first_fetched = 0;
  static constexpr int fetched = face_components;

  template <class V, class Psi>
  ONEHOP_INLINE static void project(complex_simd<V>* half, const Psi& psi) {
    for (int c = 0; c < 3; ++c) {
      half[c] = wilson_site::template colour_of<0, V>(psi, c);
      half[3 + c] = wilson_site::template colour_of<1, V>(psi, c);
    }
  }

  /// `half` holds colour `row` of both spins. `First` sets the sums.
  template <bool First, class V>
  ONEHOP_INLINE static void accumulate(complex_simd<V>* sum, const complex_simd<V>* half, int row) {
    wilson_site::template accumulate_spin<First, 0>(sum, half[0], row);
    wilson_site::template accumulate_spin<First, 1>(sum, half[1], row);
  }
};

/// A one_spin is a site at which only one of the two spins is processed.
template <class Site, int A>
struct one_spin : Site {
  static constexpr int first_fetched = 3 * A;
  static constexpr int fetched = 3;

  template <class V, class Psi>
  ONEHOP_INLINE static void project(complex_simd<V>* triplet, const Psi& psi) {
    for (int c = 0; c < 3; ++c) triplet[c] = Site::template colour_of<A, V>(psi, c);
  }
  template <bool First, class V>
  ONEHOP_INLINE static void accumulate(complex_simd<V>* sum, const complex_simd<V>* colour,
                                       int row) {
    Site::template accumulate_spin<First, A>(sum, *colour, row);
  }
};

template <int Direction>
using wilson_plain = wilson_site<Direction, false>;
template <int Direction>
using wilson_dagger = wilson_site<Direction, true>;

}  // namespace
}  // namespace onehop
