#pragma once
/// lanes are vectors of numbers in the form of the compiler's vector extension, down to one lane.
///
/// ONEHOP_APP_ISA names the instruction set that this is built for.

#include <cstring>
#include <type_traits>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

// Each build has a namespace of its own, so that the linker cannot replace this code by code built
// for another instruction set.
namespace app_common::ONEHOP_APP_ISA {
namespace {

template <class Real, int W>
struct vector_of {
  using type __attribute__((vector_size(W * sizeof(Real)))) = Real;
};
template <class Real>
struct vector_of<Real, 1> {
  using type = Real;
};
template <class Real, int W>
using lanes = typename vector_of<Real, W>::type;

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
/// This is the number of lanes of the widest vector.
template <class Real>
constexpr int widest = vector_bytes / static_cast<int>(sizeof(Real));

template <class Real, int W>
lanes<Real, W> load(const Real* from) {
  lanes<Real, W> value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class Real, int W>
void store(Real* to, const lanes<Real, W>& value) {
  std::memcpy(to, &value, sizeof value);
}

#ifdef __AVX512F__
template <class Real, int W>
constexpr bool has_masks = std::is_same_v<Real, double>&& W == 8;
#else
template <class Real, int W>
constexpr bool has_masks = false;
#endif

/// Loads the first `count` numbers; the other lanes are zero.
template <class Real, int W>
lanes<Real, W> load_first(const Real* from, int count) {
  lanes<Real, W> value{};
  if constexpr (has_masks<Real, W>) {
#ifdef __AVX512F__
    value = _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1), from);
#endif
  } else {
    for (int lane = 0; lane < count; ++lane) value[lane] = from[lane];
  }
  return value;
}
template <class Real, int W>
void store_first(Real* to, const lanes<Real, W>& value, int count) {
  if constexpr (has_masks<Real, W>) {
#ifdef __AVX512F__
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << count) - 1), value);
#endif
  } else {
    for (int lane = 0; lane < count; ++lane) to[lane] = value[lane];
  }
}

template <class Real, int W>
lanes<Real, W> all_lanes(Real value) {
  return value - lanes<Real, W>{};
}

}  // namespace
}  // namespace app_common::ONEHOP_APP_ISA
