#pragma once
/// A link from the fewer reals that it is stored in.
///
/// A link is U = s V with V in SU(3) and s = 1 or -1.
///
/// 12 reals: two rows of U; the third is s (row 0 x row 1)^*.
///
/// 8 reals: V = B(c, w) diag(e^(i theta), T), which every SU(3) matrix is:
///     B = ( c  -w^+            )    c = sqrt(1 - |w|^2) >= 0, w in C^2: the rotation of C^3 that
///         ( w  1 - w w^+/(1+c) )    takes e_1 to (c, w) and leaves what is orthogonal to both,
///     T = (  alpha                      beta                 )   |alpha|^2 + |beta|^2 = 1,
///         ( -beta^* e^(-i theta)  alpha^* e^(-i theta)       )
/// stored as w, beta, tan(theta/4), tan(arg(alpha)/4). Unlike the usual choice (Bunk and Sommer,
/// Comput. Phys. Commun. 40, 229 (1986)) nothing is divided by a number that can vanish, and near
/// V = 1 the square roots are taken of numbers near 1.

#include "dirac/isa/complex_simd.hpp"

namespace onehop {
namespace {

template <class V>
ONEHOP_INLINE complex_simd<V> product(complex_simd<V> a, complex_simd<V> b) {
  return multiply_add(complex_simd<V>::zero(), a, b);
}
/// a^* b
template <class V>
ONEHOP_INLINE complex_simd<V> conjugate_product(complex_simd<V> a, complex_simd<V> b) {
  return conjugate_multiply_add(complex_simd<V>::zero(), a, b);
}
template <class V>
ONEHOP_INLINE complex_simd<V> scaled(V a, complex_simd<V> b) {
  return {a * b.re, a * b.im};
}
template <class V>
ONEHOP_INLINE complex_simd<V> conjugated(complex_simd<V> a) {
  return {a.re, V::zero() - a.im};
}
template <class V>
ONEHOP_INLINE V square(complex_simd<V> a) {
  return a.re * a.re + a.im * a.im;
}

/// s (a x b)^*, one component from two of each.
template <class V>
ONEHOP_INLINE complex_simd<V> cross(V s, complex_simd<V> a1, complex_simd<V> b2, complex_simd<V> a2,
                                    complex_simd<V> b1) {
  const auto first = product(a1, b2);
  const auto second = product(a2, b1);
  return {s * (first.re - second.re), s * (second.im - first.im)};
}

template <class V>
ONEHOP_INLINE void expand_twelve(typename V::real* u, const V* stored, V sign) {
  const auto row = [stored](int k) { return complex_simd<V>{stored[2 * k], stored[2 * k + 1]}; };
  for (int k = 0; k < 6; ++k) row(k).store(u + 2 * k * V::lanes);
  cross(sign, row(1), row(5), row(2), row(4)).store(u + 12 * V::lanes);
  cross(sign, row(2), row(3), row(0), row(5)).store(u + 14 * V::lanes);
  cross(sign, row(0), row(4), row(1), row(3)).store(u + 16 * V::lanes);
}

/// e^(4 i arctan u), where `inverse` is 1/(1 + u^2).
template <class V>
ONEHOP_INLINE complex_simd<V> phase_of(V u, V inverse) {
  const V one = V::broadcast(1);
  const V two = V::broadcast(2);
  const V cosine = (one - u * u) * inverse;
  const V sine = two * u * inverse;
  return {one - two * sine * sine, two * sine * cosine};
}

template <class V>
ONEHOP_INLINE void expand_eight(typename V::real* u, const V* stored, V sign) {
  const V one = V::broadcast(1);
  const complex_simd<V> w[2] = {{stored[0], stored[1]}, {stored[2], stored[3]}};
  const complex_simd<V> beta{stored[4], stored[5]};
  const V c = root(larger(V::zero(), one - square(w[0]) - square(w[1])));
  const V alpha_size = root(larger(V::zero(), one - square(beta)));
  // One division serves three inverses.
  const V p = one + stored[6] * stored[6];
  const V q = one + stored[7] * stored[7];
  const V r = one + c;
  const V inverse = one / (p * q * r);
  const auto turn = phase_of(stored[6], q * r * inverse);
  const auto alpha = scaled(alpha_size, phase_of(stored[7], p * r * inverse));
  const V k = p * q * inverse;
  const complex_simd<V> t[2][2] = {{alpha, beta},
                                   {conjugated(product(turn, scaled(V::broadcast(-1), beta))),
                                    conjugated(product(turn, alpha))}};
  const auto leave = [u, sign](int entry, complex_simd<V> value) {
    scaled(sign, value).store(u + 2 * entry * V::lanes);
  };
  leave(0, scaled(c, turn));
  for (int i = 0; i < 2; ++i) leave(3 * (i + 1), product(w[i], turn));
  for (int j = 0; j < 2; ++j) {
    const auto along = conjugate_multiply_add(conjugate_product(w[0], t[0][j]), w[1], t[1][j]);
    leave(1 + j, scaled(V::broadcast(-1), along));
    const auto back = scaled(V::zero() - k, along);
    for (int i = 0; i < 2; ++i) leave(3 * (i + 1) + 1 + j, multiply_add(t[i][j], w[i], back));
  }
}

}  // namespace
}  // namespace onehop
