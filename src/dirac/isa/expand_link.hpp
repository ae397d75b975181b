#pragma once
/// This file reconstructs a link from the fewer reals in which it is stored.
///
/// A link is U = s V with V in SU(3) and s = 1 or -1.
///
/// 12 reals: two rows of U; the third is s (row 0 x row 1)^*.
///
/// 8 reals: every SU(3) matrix is V = F(p, q) (1 + F(x)) diag(t_1, t_2, t_3), with two rotations
/// and three phases. F(p) maps e_1 to a real multiple of e_1 plus one of p, leaves vectors
/// orthogonal to both unchanged, and costs hardly more than a scalar product:
///     F(p) (a, b) = (f - a, b + p f)    f = g (a - p^+ b),    g = 2 / (1 + |p|^2),    |p| <= 1.
/// F(p)^+ is F(-p). With t_3 = (t_1 t_2)^* the reals are p, q, x and tan(arg(t)/4) of two phases.
/// Unlike the usual choice (Bunk and Sommer, Comput. Phys. Commun. 40, 229 (1986)), this one needs
/// no root and no division by a number that can vanish.

#include "dirac/isa/complex_simd.hpp"
#include "dirac/isa/multiply_link.hpp"

namespace onehop {
namespace {

template <class V>
ONEHOP_INLINE complex_simd<V> product(complex_simd<V> a, complex_simd<V> b) {
  return multiply_add(complex_simd<V>::zero(), a, b);
}
/// Returns a^* b.
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
/// Returns a times a sign, 1 or -1.
template <class V>
ONEHOP_INLINE V times_sign(V a, V sign) {
  return sign * a;
}
/// Returns (a1 b2 - a2 b1)^*, a component of (a x b)^* from two of each.
template <class V>
ONEHOP_INLINE complex_simd<V> cross(complex_simd<V> a1, complex_simd<V> b2, complex_simd<V> a2,
                                    complex_simd<V> b1) {
  return conjugated(multiply_subtract(first_product<false>(a1, b2), a2, b1));
}

template <class V>
ONEHOP_INLINE void expand_twelve(typename V::real* u, const V* stored, V sign) {
  const auto row = [stored](int k) { return complex_simd<V>{stored[2 * k], stored[2 * k + 1]}; };
  for (int k = 0; k < 6; ++k) row(k).store(u + 2 * k * V::lanes);
  const auto leave = [u, sign](int k, complex_simd<V> value) {
    complex_simd<V>{times_sign(value.re, sign), times_sign(value.im, sign)}.store(u +
                                                                                  2 * k * V::lanes);
  };
  leave(6, cross(row(1), row(5), row(2), row(4)));
  leave(7, cross(row(2), row(3), row(0), row(5)));
  leave(8, cross(row(0), row(4), row(1), row(3)));
}

/// Returns s e^(4 i arctan u).
template <class V>
ONEHOP_INLINE complex_simd<V> phase_of(V u, V s) {
  const V one = V::broadcast(1);
  const V inverse = one / (one + u * u);
  const V cosine = V::broadcast(2) * inverse - one;
  const V twice = (s + s) * cosine;
  return {twice * cosine - s, twice * ((u + u) * inverse)};
}

/// Turns (a, b) into F(p) (a, b), or F(p)^+ (a, b), where p and b have `Size` numbers.
template <bool Adjoint, int Size, class V>
ONEHOP_INLINE void fold(complex_simd<V>& a, complex_simd<V>* b, V g, const complex_simd<V>* p) {
  complex_simd<V> f = a;
  for (int k = 0; k < Size; ++k) {
    f = Adjoint ? conjugate_multiply_add(f, p[k], b[k])
                : conjugate_multiply_subtract(f, p[k], b[k]);
  }
  f = scaled(g, f);
  a = add_phase<phase::minus_one>(f, a);
  for (int k = 0; k < Size; ++k) {
    b[k] = Adjoint ? multiply_subtract(b[k], p[k], f) : multiply_add(b[k], p[k], f);
  }
}

/// A folded_link is the link that eight reals represent, prepared for multiplying triplets.
template <class V>
struct folded_link {
  complex_simd<V> turn[3], p[2], x;
  V outer, inner;  ///< g of F(p) and F(x)

  static constexpr int reals = 14;

  ONEHOP_INLINE explicit folded_link(const typename V::real* made)
      : turn{load(made, 0), load(made, 2), load(made, 4)},
        p{load(made, 6), load(made, 8)},
        x(load(made, 10)),
        outer(V::load(made + 12 * V::lanes)),
        inner(V::load(made + 13 * V::lanes)) {}
  ONEHOP_INLINE void store(typename V::real* made) const {
    for (int k = 0; k < 3; ++k) turn[k].store(made + 2 * k * V::lanes);
    for (int k = 0; k < 2; ++k) p[k].store(made + (6 + 2 * k) * V::lanes);
    x.store(made + 10 * V::lanes);
    outer.store(made + 12 * V::lanes);
    inner.store(made + 13 * V::lanes);
  }

  ONEHOP_INLINE folded_link(const V* stored, V sign)
      : p{{stored[0], stored[1]}, {stored[2], stored[3]}}, x{stored[4], stored[5]} {
    const V one = V::broadcast(1);
    const V two = V::broadcast(2);
    outer = two / ((one + stored[0] * stored[0] + stored[1] * stored[1]) +
                   (stored[2] * stored[2] + stored[3] * stored[3]));
    inner = two / (one + stored[4] * stored[4] + stored[5] * stored[5]);
    turn[0] = phase_of(stored[6], sign);
    turn[1] = phase_of(stored[7], sign);
    turn[2] = scaled(sign, conjugated(first_product<false>(turn[0], turn[1])));
  }

  /// Multiplies the triplet by U, or by its adjoint.
  template <bool Adjoint>
  ONEHOP_INLINE void multiply(complex_simd<V>* triplet) const {
    if constexpr (!Adjoint) {
      for (int k = 0; k < 3; ++k) triplet[k] = first_product<false>(turn[k], triplet[k]);
      fold<false, 1>(triplet[1], triplet + 2, inner, &x);
      fold<false, 2>(triplet[0], triplet + 1, outer, p);
    } else {
      fold<true, 2>(triplet[0], triplet + 1, outer, p);
      fold<true, 1>(triplet[1], triplet + 2, inner, &x);
      for (int k = 0; k < 3; ++k) triplet[k] = first_product<true>(turn[k], triplet[k]);
    }
  }

 private:
  ONEHOP_INLINE static complex_simd<V> load(const typename V::real* made, int k) {
    return complex_simd<V>::load(made + k * V::lanes);
  }
};

template <class V>
ONEHOP_INLINE void expand_eight(typename V::real* u, const V* stored, V sign) {
  const folded_link<V> link(stored, sign);
  const V one = V::broadcast(1);
  const V c = link.inner - one;
  const auto w = scaled(link.inner, link.x);
  const complex_simd<V> t[2][2] = {
      {scaled(c, link.turn[1]), scaled(V::broadcast(-1), conjugate_product(w, link.turn[2]))},
      {product(w, link.turn[1]), scaled(c, link.turn[2])}};
  const auto leave = [u](int entry, complex_simd<V> value) {
    value.store(u + 2 * entry * V::lanes);
  };
  leave(0, scaled(link.outer - one, link.turn[0]));
  const auto turn = scaled(link.outer, link.turn[0]);
  for (int i = 0; i < 2; ++i) leave(3 * (i + 1), product(link.p[i], turn));
  for (int j = 0; j < 2; ++j) {
    const auto along =
        conjugate_multiply_add(conjugate_product(link.p[0], t[0][j]), link.p[1], t[1][j]);
    const auto f = scaled(V::zero() - link.outer, along);
    leave(1 + j, f);
    for (int i = 0; i < 2; ++i) leave(3 * (i + 1) + 1 + j, multiply_add(t[i][j], link.p[i], f));
  }
}

}  // namespace
}  // namespace onehop
