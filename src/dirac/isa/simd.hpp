#pragma once
/// Vectors of `Lanes` reals in the compiler's own vector type: one source for AVX-512, AVX2, NEON
/// and plain code. Everything is internal to the including file, so that code built for one
/// instruction set is never linked into another.

#include <cstdint>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#define ONEHOP_INLINE [[gnu::always_inline]] inline

namespace onehop {
namespace {

template <class Real, int Lanes>
struct simd {
  typedef Real vector __attribute__((vector_size(sizeof(Real) * Lanes), __may_alias__));
  typedef Real unaligned
      __attribute__((vector_size(sizeof(Real) * Lanes), __may_alias__, aligned(sizeof(Real))));
  typedef std::int64_t index __attribute__((vector_size(8 * Lanes), __may_alias__, aligned(8)));
  static constexpr int lanes = Lanes;
  using real = Real;

  vector v;

  ONEHOP_INLINE static simd zero() { return {vector{}}; }
  ONEHOP_INLINE static simd broadcast(Real x) { return {vector{} + x}; }
  ONEHOP_INLINE static simd load(const Real* p) { return {*reinterpret_cast<const vector*>(p)}; }
  ONEHOP_INLINE static simd load_unaligned(const Real* p) {
    return {*reinterpret_cast<const unaligned*>(p)};
  }
  ONEHOP_INLINE void store(Real* p) const { *reinterpret_cast<vector*>(p) = v; }
};

template <class Real, int Lanes>
ONEHOP_INLINE simd<Real, Lanes> operator+(simd<Real, Lanes> a, simd<Real, Lanes> b) {
  return {a.v + b.v};
}
template <class Real, int Lanes>
ONEHOP_INLINE simd<Real, Lanes> operator-(simd<Real, Lanes> a, simd<Real, Lanes> b) {
  return {a.v - b.v};
}
template <class Real, int Lanes>
ONEHOP_INLINE simd<Real, Lanes> operator*(simd<Real, Lanes> a, simd<Real, Lanes> b) {
  return {a.v * b.v};
}

/// Lane l becomes lane source[l] of (a, b) laid end to end.
template <int Lanes>
ONEHOP_INLINE simd<double, Lanes> shuffle(simd<double, Lanes> a, simd<double, Lanes> b,
                                          const std::int64_t* source) {
  const auto index = *reinterpret_cast<const typename simd<double, Lanes>::index*>(source);
#if defined(__clang__)
  simd<double, Lanes> result = a;
  for (int l = 0; l < Lanes; ++l) {
    result.v[l] = index[l] < Lanes ? a.v[index[l]] : b.v[index[l] - Lanes];
  }
  return result;
#else
  return {__builtin_shuffle(a.v, b.v, index)};
#endif
}

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

/// acc + a b. The order of the four products is part of the result's bits.
template <class V>
ONEHOP_INLINE complex_simd<V> multiply_add(complex_simd<V> acc, complex_simd<V> a,
                                           complex_simd<V> b) {
  acc.re = acc.re + a.re * b.re;
  acc.im = acc.im + a.re * b.im;
  acc.re = acc.re - a.im * b.im;
  acc.im = acc.im + a.im * b.re;
  return acc;
}

/// The powers of i, as phases of the gamma matrices' entries.
enum class phase { one, i, minus_one, minus_i };
constexpr phase conjugate(phase p) {
  return p == phase::i ? phase::minus_i : p == phase::minus_i ? phase::i : p;
}
constexpr phase negate(phase p) { return static_cast<phase>((static_cast<int>(p) + 2) % 4); }

/// a + P b
template <phase P, class V>
ONEHOP_INLINE complex_simd<V> add_phase(complex_simd<V> a, complex_simd<V> b) {
  if constexpr (P == phase::one) return {a.re + b.re, a.im + b.im};
  if constexpr (P == phase::i) return {a.re - b.im, a.im + b.re};
  if constexpr (P == phase::minus_one) return {a.re - b.re, a.im - b.im};
  if constexpr (P == phase::minus_i) return {a.re + b.im, a.im - b.re};
}

}  // namespace
}  // namespace onehop
