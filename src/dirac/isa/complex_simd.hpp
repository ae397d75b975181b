#pragma once
/// Complex numbers have reals of type V, a vector of lanes on the host or one real of a CUDA
/// thread; phases are those of the gamma matrices.

#include "device/inline.hpp"

namespace onehop {
namespace {

template <class V>
struct complex_simd {
  V re, im;

  ONEHOP_INLINE static complex_simd zero() { return {V::zero(), V::zero()}; }
  ONEHOP_INLINE static complex_simd load(const typename V::real* p) {
    return {V::load(p), V::load(p + V::lanes)};
  }
  ONEHOP_INLINE void store(typename V::real* p) const {
    re.store(p);
    im.store(p + V::lanes);
  }
};

/// A real_block gives the complex numbers of a block whose reals are stored as such.
template <class V>
struct real_block {
  const typename V::real* reals;

  ONEHOP_INLINE complex_simd<V> operator()(int c) const {
    return complex_simd<V>::load(reals + c * 2 * V::lanes);
  }
};

/// Returns a product that is rounded before another one is added to it or subtracted from it, so
/// that the other product is the one fused with the sum. AArch64 can fuse a difference with either
/// product for scalars but only with the second for vectors, and no bit may depend on the number of
/// lanes.
template <class V>
ONEHOP_INLINE V rounded(V product) {
#if defined(__aarch64__) && !defined(__CUDA_ARCH__)
  using real = typename V::real;
  if constexpr (sizeof(V) == sizeof(real)) {
    real number;
    __builtin_memcpy(&number, &product, sizeof(real));
    asm("" : "+w"(number));
    __builtin_memcpy(&product, &number, sizeof(real));
  } else {
    asm("" : "+w"(product.v));
  }
#endif
  return product;
}

/// Returns acc + a b. The order of the four products is part of the result's bits.
template <class V>
ONEHOP_INLINE complex_simd<V> multiply_add(complex_simd<V> acc, complex_simd<V> a,
                                           complex_simd<V> b) {
  acc.re = acc.re + a.re * b.re;
  acc.im = acc.im + a.re * b.im;
  acc.re = acc.re - a.im * b.im;
  acc.im = acc.im + a.im * b.re;
  return acc;
}

/// Returns acc + a^* b.
template <class V>
ONEHOP_INLINE complex_simd<V> conjugate_multiply_add(complex_simd<V> acc, complex_simd<V> a,
                                                     complex_simd<V> b) {
  acc.re = acc.re + a.re * b.re;
  acc.im = acc.im + a.re * b.im;
  acc.re = acc.re + a.im * b.im;
  acc.im = acc.im - a.im * b.re;
  return acc;
}

/// Returns acc - a b.
template <class V>
ONEHOP_INLINE complex_simd<V> multiply_subtract(complex_simd<V> acc, complex_simd<V> a,
                                                complex_simd<V> b) {
  acc.re = acc.re - a.re * b.re;
  acc.im = acc.im - a.re * b.im;
  acc.re = acc.re + a.im * b.im;
  acc.im = acc.im - a.im * b.re;
  return acc;
}

/// Returns acc - a^* b.
template <class V>
ONEHOP_INLINE complex_simd<V> conjugate_multiply_subtract(complex_simd<V> acc, complex_simd<V> a,
                                                          complex_simd<V> b) {
  acc.re = acc.re - a.re * b.re;
  acc.im = acc.im - a.re * b.im;
  acc.re = acc.re - a.im * b.im;
  acc.im = acc.im + a.im * b.re;
  return acc;
}

/// These are the powers of i that occur as entries of the gamma matrices.
enum class phase { one, i, minus_one, minus_i };
constexpr phase conjugate(phase p) {
  return p == phase::i ? phase::minus_i : p == phase::minus_i ? phase::i : p;
}
constexpr phase negate(phase p) { return static_cast<phase>((static_cast<int>(p) + 2) % 4); }

/// Returns a + P b.
template <phase P, class V>
ONEHOP_INLINE complex_simd<V> add_phase(complex_simd<V> a, complex_simd<V> b) {
  if constexpr (P == phase::one) return {a.re + b.re, a.im + b.im};
  if constexpr (P == phase::i) return {a.re - b.im, a.im + b.re};
  if constexpr (P == phase::minus_one) return {a.re - b.re, a.im - b.im};
  if constexpr (P == phase::minus_i) return {a.re + b.im, a.im - b.re};
}

/// Returns P a.
template <phase P, class V>
ONEHOP_INLINE complex_simd<V> times_phase(complex_simd<V> a) {
  if constexpr (P == phase::one) return a;
  if constexpr (P == phase::i) return {{-a.im.v}, a.re};
  if constexpr (P == phase::minus_one) return {{-a.re.v}, {-a.im.v}};
  if constexpr (P == phase::minus_i) return {a.im, {-a.re.v}};
}

}  // namespace
}  // namespace onehop
