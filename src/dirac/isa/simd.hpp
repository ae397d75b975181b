#pragma once
/// A simd is a vector of `Lanes` reals in the compiler's own vector type: one source for AVX-512,
/// AVX2, NEON and plain code. Everything has internal linkage, so that code built for one
/// instruction set is never linked into another.

#include "dirac/isa/complex_simd.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace onehop {
namespace {

#if defined(__AVX512F__)
constexpr int widest_bytes = 64;
#elif defined(__AVX2__)
constexpr int widest_bytes = 32;
#else
constexpr int widest_bytes = 16;
#endif

#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int vector_registers = 32;
#else
constexpr int vector_registers = 16;
#endif

template <class Real, int Lanes>
struct simd {
  typedef Real vector __attribute__((vector_size(sizeof(Real) * Lanes), __may_alias__));
  typedef Real unaligned
      __attribute__((vector_size(sizeof(Real) * Lanes), __may_alias__, aligned(sizeof(Real))));
  using whole = std::conditional_t<sizeof(Real) == 8, std::int64_t, std::int32_t>;
  typedef whole index __attribute__((vector_size(sizeof(Real) * Lanes)));
  typedef std::int32_t stored_index
      __attribute__((vector_size(4 * Lanes), __may_alias__, aligned(4)));
  static constexpr int lanes = Lanes;
  using real = Real;

  vector v;

  ONEHOP_INLINE static simd zero() { return {vector{}}; }
  /// The compiler drops a subtraction of zero, which changes no x; adding zero turns -0 into 0, so
  /// it would really be computed.
  ONEHOP_INLINE static simd broadcast(Real x) { return {x - vector{}}; }
  ONEHOP_INLINE static simd load(const Real* p) { return {*reinterpret_cast<const vector*>(p)}; }
  ONEHOP_INLINE static simd load_unaligned(const Real* p) {
    return {*reinterpret_cast<const unaligned*>(p)};
  }
  ONEHOP_INLINE void store(Real* p) const { *reinterpret_cast<vector*>(p) = v; }
  ONEHOP_INLINE void store_unaligned(Real* p) const { *reinterpret_cast<unaligned*>(p) = v; }
  /// Stores past the caches, if the processor can, data that are not read again soon.
  ONEHOP_INLINE void stream(Real* p) const {
#if defined(__AVX512F__)
    typedef long long lines __attribute__((vector_size(64), __may_alias__));
    if constexpr (sizeof(vector) == 64) {
      __builtin_ia32_movntdq512(reinterpret_cast<lines*>(p), (lines)v);
      return;
    }
#endif
#if defined(__AVX2__)
    typedef long long half_lines __attribute__((vector_size(32), __may_alias__));
    if constexpr (sizeof(vector) == 32) {
      __builtin_ia32_movntdq256(reinterpret_cast<half_lines*>(p), (half_lines)v);
      return;
    }
#endif
    store(p);
  }

  typedef double doubles __attribute__((vector_size(8 * Lanes)));
  typedef double stored_doubles __attribute__((vector_size(8 * Lanes), __may_alias__, aligned(8)));
  typedef std::int16_t shorts __attribute__((vector_size(2 * Lanes)));
  typedef std::int16_t stored_shorts
      __attribute__((vector_size(2 * Lanes), __may_alias__, aligned(2)));
  typedef std::int32_t words __attribute__((vector_size(4 * Lanes)));
};

/// To widen or narrow vectors, here and below, g++ 12 takes them apart, with five or ten
/// instructions instead of one.
template <class V>
ONEHOP_INLINE void store_doubles(V a, double* p) {
#if defined(__AVX512F__)
  if constexpr (sizeof(a.v) == 64 && sizeof(typename V::real) == 4) {
    const auto both = (__m512d)a.v;
    const auto lower = (__m256)_mm512_maskz_extractf64x4_pd(0xF, both, 0);
    const auto upper = (__m256)_mm512_maskz_extractf64x4_pd(0xF, both, 1);
    _mm512_storeu_pd(p, _mm512_maskz_cvtps_pd(0xFF, lower));
    _mm512_storeu_pd(p + 8, _mm512_maskz_cvtps_pd(0xFF, upper));
    return;
  }
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(a.v) == 32 && sizeof(typename V::real) == 4) {
    _mm256_storeu_pd(p, _mm256_cvtps_pd(_mm256_castps256_ps128((__m256)a.v)));
    _mm256_storeu_pd(p + 4, _mm256_cvtps_pd(_mm256_extractf128_ps((__m256)a.v, 1)));
    return;
  }
  if constexpr (sizeof(a.v) == 16 && sizeof(typename V::real) == 4) {
    _mm256_storeu_pd(p, _mm256_cvtps_pd((__m128)a.v));
    return;
  }
#endif
  *reinterpret_cast<typename V::stored_doubles*>(p) =
      __builtin_convertvector(a.v, typename V::doubles);
}
template <class V>
ONEHOP_INLINE V load_shorts(const std::int16_t* p) {
#if defined(__AVX512F__)
  if constexpr (V::lanes == 16) {
    const __m256i narrow = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const auto wide = (typename V::words)_mm512_maskz_cvtepi16_epi32(0xFFFF, narrow);
    return {__builtin_convertvector(wide, typename V::vector)};
  }
#endif
#if defined(__AVX2__)
  if constexpr (V::lanes == 8) {
    const __m128i narrow = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const auto wide = (typename V::words)_mm256_cvtepi16_epi32(narrow);
    return {__builtin_convertvector(wide, typename V::vector)};
  }
#endif
  const typename V::shorts narrow = *reinterpret_cast<const typename V::stored_shorts*>(p);
  const typename V::words wide = __builtin_convertvector(narrow, typename V::words);
  return {__builtin_convertvector(wide, typename V::vector)};
}
/// Rounds to the nearest integer; takes floats of absolute value at most 32767.
template <class V>
ONEHOP_INLINE void store_shorts(V a, std::int16_t* p) {
  // The last 16 bits of x + 1.5 * 2^23 are x rounded.
  const typename V::vector shifted = a.v + 12582912.0F;
  const auto bits = (typename V::words)shifted;
#if defined(__AVX512F__)
  if constexpr (V::lanes == 16) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                        _mm512_maskz_cvtepi32_epi16(0xFFFF, (__m512i)bits));
    return;
  }
#endif
  *reinterpret_cast<typename V::stored_shorts*>(p) =
      __builtin_convertvector(bits, typename V::shorts);
}

/// Keeps a in a register. If registers are few, the compiler would reload values for each
/// operation, but a core that multiplies twice a cycle cannot load more often than that.
template <class V>
ONEHOP_INLINE V held(V a) {
#if defined(__x86_64__)
  if constexpr (vector_registers < 32 && sizeof(V) >= 16) asm("" : "+x"(a.v));
#endif
  return a;
}
template <class V>
ONEHOP_INLINE complex_simd<V> held(complex_simd<V> a) {
  return {held(a.re), held(a.im)};
}
/// Lets the compiler reload values from memory from here on, instead of keeping them without having
/// the registers to do so.
ONEHOP_INLINE void forget_memory() { asm volatile("" : : : "memory"); }

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

/// Multiplies a by a sign, 1 or -1, without using the multiplication units.
template <class Real, int Lanes>
ONEHOP_INLINE simd<Real, Lanes> times_sign(simd<Real, Lanes> a, simd<Real, Lanes> sign) {
  using v = simd<Real, Lanes>;
  using index = typename v::index;
  constexpr auto negative = std::numeric_limits<typename v::whole>::min();
  return {(typename v::vector)((index)a.v ^ ((index)sign.v & negative))};
}

template <class Real, int Lanes>
ONEHOP_INLINE simd<Real, Lanes> operator/(simd<Real, Lanes> a, simd<Real, Lanes> b) {
  return {a.v / b.v};
}
template <class Real, int Lanes>
ONEHOP_INLINE simd<Real, Lanes> larger(simd<Real, Lanes> a, simd<Real, Lanes> b) {
  return {a.v > b.v ? a.v : b.v};
}
template <class Real, int Lanes>
ONEHOP_INLINE simd<Real, Lanes> magnitude(simd<Real, Lanes> a) {
  return larger(a, simd<Real, Lanes>{-a.v});
}

/// Returns a vector whose lane l is lane source[l] of the concatenation of a and b.
template <class Real, int Lanes>
ONEHOP_INLINE simd<Real, Lanes> shuffle(simd<Real, Lanes> a, simd<Real, Lanes> b,
                                        const std::int32_t* source) {
  using v = simd<Real, Lanes>;
  const typename v::words stored = *reinterpret_cast<const typename v::stored_index*>(source);
  const auto index = __builtin_convertvector(stored, typename v::index);
#if defined(__clang__)
  v result = a;
  for (int l = 0; l < Lanes; ++l) {
    result.v[l] = index[l] < Lanes ? a.v[index[l]] : b.v[index[l] - Lanes];
  }
  return result;
#else
  return {__builtin_shuffle(a.v, b.v, index)};
#endif
}

}  // namespace
}  // namespace onehop
