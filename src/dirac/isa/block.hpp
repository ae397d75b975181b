#pragma once
/// This file opens a block of a field from its storage and closes it again.

#include "dirac/isa/simd.hpp"
#include "lattice/field_precision.hpp"

#include <cstddef>

namespace onehop {
namespace {

constexpr float fixed_one = 32767.0F;

/// Opens a 16-bit block, which consists of scales, then [component][re, im][lane].
template <class V>
[[gnu::noinline]] void open_fixed(float* reals, const std::byte* block, int count) {
  using floats = simd<float, V::lanes>;
  const auto scale = floats::load_unaligned(reinterpret_cast<const float*>(block)) *
                     floats::broadcast(1.0F / fixed_one);
  const auto* numbers = reinterpret_cast<const std::int16_t*>(block + V::lanes * sizeof(float));
  for (int k = 0; k < count; ++k) {
    (load_shorts<floats>(numbers + k * V::lanes) * scale).store(reals + k * V::lanes);
  }
}

/// A fixed_block gives the complex numbers of a 16-bit block, in units of its scales.
template <class V>
struct fixed_block {
  const std::int16_t* numbers;
  V scale;

  ONEHOP_INLINE explicit fixed_block(const std::byte* block)
      : numbers(reinterpret_cast<const std::int16_t*>(block + V::lanes * sizeof(float))),
        scale(V::load_unaligned(reinterpret_cast<const float*>(block)) *
              V::broadcast(1.0F / fixed_one)) {}
  ONEHOP_INLINE complex_simd<V> operator()(int c) const {
    return {load_shorts<V>(numbers + 2 * c * V::lanes),
            load_shorts<V>(numbers + (2 * c + 1) * V::lanes)};
  }
};

template <class V>
[[gnu::noinline]] void close_fixed(std::byte* block, const float* reals, int count) {
  using floats = simd<float, V::lanes>;
  // The scale is never zero, so that a site of zeros does not give 0/0.
  auto largest = floats::broadcast(1e-30F);
  for (int k = 0; k < count; ++k) {
    largest = larger(largest, magnitude(floats::load(reals + k * V::lanes)));
  }
  largest.store_unaligned(reinterpret_cast<float*>(block));
  const auto scale = floats::broadcast(fixed_one) / largest;
  auto* numbers = reinterpret_cast<std::int16_t*>(block + V::lanes * sizeof(float));
  for (int k = 0; k < count; ++k) {
    store_shorts(floats::load(reals + k * V::lanes) * scale, numbers + k * V::lanes);
  }
}

/// Returns the reals of a block: in place if they are stored as such, otherwise in `buffer`.
template <class V, int Components>
ONEHOP_INLINE const typename V::real* open(const std::byte* field, bool fixed, std::ptrdiff_t block,
                                           typename V::real* buffer) {
  constexpr int count = 2 * Components;
  if constexpr (sizeof(typename V::real) == sizeof(float)) {
    if (fixed) {
      constexpr std::ptrdiff_t bytes = block_bytes(field_precision::half, count, V::lanes);
      open_fixed<V>(buffer, field + block * bytes, count);
      return buffer;
    }
  }
  return reinterpret_cast<const typename V::real*>(field) + block * count * V::lanes;
}

template <class V, int Components>
ONEHOP_INLINE void close(std::byte* field, bool fixed, bool streaming, std::ptrdiff_t block,
                         const complex_simd<V>* values) {
  constexpr int count = 2 * Components;
  if constexpr (sizeof(typename V::real) == sizeof(float)) {
    if (fixed) {
      alignas(64) float buffer[count * V::lanes];
      for (int c = 0; c < Components; ++c) values[c].store(buffer + c * 2 * V::lanes);
      constexpr std::ptrdiff_t bytes = block_bytes(field_precision::half, count, V::lanes);
      close_fixed<V>(field + block * bytes, buffer, count);
      return;
    }
  }
  auto* out = reinterpret_cast<typename V::real*>(field) + block * count * V::lanes;
  if (streaming) {
    for (int c = 0; c < Components; ++c) {
      values[c].re.stream(out + 2 * c * V::lanes);
      values[c].im.stream(out + (2 * c + 1) * V::lanes);
    }
  } else {
    for (int c = 0; c < Components; ++c) values[c].store(out + c * 2 * V::lanes);
  }
}

}  // namespace
}  // namespace onehop
