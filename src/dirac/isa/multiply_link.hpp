#pragma once
/// This file multiplies links by colour triplets.

#include "dirac/isa/complex_simd.hpp"

namespace onehop {
namespace {

/// Returns a b, or a^* b.
template <bool Conjugate, class V>
ONEHOP_INLINE complex_simd<V> first_product(complex_simd<V> a, complex_simd<V> b) {
  const complex_simd<V> real{rounded(a.re * b.re), rounded(a.re * b.im)};
  return Conjugate ? complex_simd<V>{real.re + a.im * b.im, real.im - a.im * b.re}
                   : complex_simd<V>{real.re - a.im * b.im, real.im + a.im * b.re};
}

/// Multiplies one row of the link, or of its adjoint, by each colour triplet of `face`. `link(3 * i
/// + j)` is its entry in row i and column j.
template <bool Adjoint, int Triplets, class V, class Link>
ONEHOP_INLINE void multiply_row(complex_simd<V>* result, const complex_simd<V>* face,
                                const Link& link, int row) {
  ONEHOP_UNROLL_ALWAYS
  for (int column = 0; column < 3; ++column) {
    const int entry = Adjoint ? 3 * column + row : 3 * row + column;
    const complex_simd<V> u = link(entry);
    ONEHOP_UNROLL_ALWAYS
    for (int s = 0; s < Triplets; ++s) {
      const auto& psi = face[3 * s + column];
      result[s] = column == 0 ? first_product<Adjoint>(u, psi)
                  : Adjoint   ? conjugate_multiply_add(result[s], u, psi)
                              : multiply_add(result[s], u, psi);
    }
  }
}

/// Multiplies all rows by one triplet, one entry after another; sums and factors take ten
/// registers.
template <bool Adjoint, class V, class Link>
ONEHOP_INLINE void multiply_rows(complex_simd<V>* result, const complex_simd<V>* triplet,
                                 const Link& link) {
  ONEHOP_UNROLL_ALWAYS
  for (int column = 0; column < 3; ++column) {
    ONEHOP_UNROLL_ALWAYS
    for (int row = 0; row < 3; ++row) {
      const complex_simd<V> u = held(link(Adjoint ? 3 * column + row : 3 * row + column));
      result[row] = column == 0 ? first_product<Adjoint>(u, triplet[column])
                    : Adjoint   ? conjugate_multiply_add(result[row], u, triplet[column])
                                : multiply_add(result[row], u, triplet[column]);
    }
  }
}

}  // namespace
}  // namespace onehop
