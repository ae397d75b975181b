#pragma once
/// This file multiplies the six components of one chirality by the block of their site.

#include "dirac/isa/complex_simd.hpp"

namespace onehop {
namespace {

constexpr int chiral_components = 6;

/// Converts the upper and lower spins of the kernels' basis (spin_basis.hpp) to both chiralities,
/// or back, and scales them by sqrt(2).
template <class V>
ONEHOP_INLINE void turn_to_chiralities(complex_simd<V>* spinor) {
  for (int c = 0; c < chiral_components; ++c) {
    const complex_simd<V> upper = spinor[c], lower = spinor[chiral_components + c];
    spinor[c] = add_phase<phase::one>(upper, lower);
    spinor[chiral_components + c] = add_phase<phase::minus_one>(upper, lower);
  }
}

template <class V>
ONEHOP_INLINE void multiply_number(complex_simd<V>* y, const complex_simd<V>* x, V number) {
  for (int c = 0; c < chiral_components; ++c) y[c] = {number * x[c].re, number * x[c].im};
}

/// Adds y += i twist x.
template <class V>
ONEHOP_INLINE void add_twisted(complex_simd<V>* y, const complex_simd<V>* x, V twist) {
  for (int c = 0; c < chiral_components; ++c) {
    y[c] = {rounded(y[c].re) - twist * x[c].im, rounded(y[c].im) + twist * x[c].re};
  }
}

/// Multiplies by the diagonal first, then by each entry below it together with its mirror image.
template <class V>
ONEHOP_INLINE void multiply_hermitian(complex_simd<V>* y, const complex_simd<V>* x,
                                      const typename V::real* block) {
  ONEHOP_UNROLL_ALWAYS
  for (int i = 0; i < chiral_components; ++i) {
    const V diagonal = V::load(block + i * V::lanes);
    y[i] = {diagonal * x[i].re, diagonal * x[i].im};
  }
  const typename V::real* entry = block + chiral_components * V::lanes;
  ONEHOP_UNROLL_ALWAYS
  for (int i = 1; i < chiral_components; ++i) {
    ONEHOP_UNROLL_ALWAYS
    for (int j = 0; j < i; ++j, entry += 2 * V::lanes) {
      const auto a = complex_simd<V>::load(entry);
      y[i] = multiply_add(y[i], a, x[j]);
      y[j] = conjugate_multiply_add(y[j], a, x[i]);
    }
  }
}

template <class V>
ONEHOP_INLINE void multiply_general(complex_simd<V>* y, const complex_simd<V>* x,
                                    const typename V::real* block, bool adjoint) {
  const auto at = [block](int i, int j) {
    return complex_simd<V>::load(block + (chiral_components * i + j) * 2 * V::lanes);
  };
  ONEHOP_UNROLL_ALWAYS
  for (int i = 0; i < chiral_components; ++i) {
    y[i] = complex_simd<V>::zero();
    ONEHOP_UNROLL_ALWAYS
    for (int j = 0; j < chiral_components; ++j) {
      y[i] = adjoint ? conjugate_multiply_add(y[i], at(j, i), x[j])
                     : multiply_add(y[i], at(i, j), x[j]);
    }
  }
}

}  // namespace
}  // namespace onehop
