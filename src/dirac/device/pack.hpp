#pragma once
/// The device layout of a row of reals per site is packs of up to 16 bytes, so that neighbouring
/// threads load neighbouring packs with one vector instruction each.
///
///     24 floats a site:   pack 0 of all sites | pack 1 of all sites | ... | pack 5 of all sites
///                         r0 r1 r2 r3          r4 r5 r6 r7
///
/// `stride` is the distance of two packs of a site, in packs: the number of sites, or more.

#include "device/inline.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace onehop::device {

/// Returns the reals in a pack: the most that fill at most 16 bytes and divide the row.
template <class Stored>
constexpr int pack_width(int reals) {
  int width = 16 / static_cast<int>(sizeof(Stored));
  while (reals % width != 0) width /= 2;
  return width;
}

template <class Stored, int Width>
struct alignas(sizeof(Stored) * Width) pack {
  Stored real[Width];
};

/// Kernels compute with this type: 16-bit numbers are converted to floats.
template <class Stored>
using arithmetic = std::conditional_t<std::is_same_v<Stored, double>, double, float>;

constexpr float fixed_one = 32767.0F;

template <class Stored, int Reals>
ONEHOP_INLINE void load_row(arithmetic<Stored>* row, const void* base, std::int64_t stride,
                            std::int64_t site) {
  constexpr int width = pack_width<Stored>(Reals);
  using packed = pack<Stored, width>;
  const auto* from = static_cast<const packed*>(base) + site;
  ONEHOP_UNROLL
  for (int k = 0; k < Reals / width; ++k) {
    const packed here = from[k * stride];
    ONEHOP_UNROLL
    for (int j = 0; j < width; ++j) {
      row[k * width + j] = static_cast<arithmetic<Stored>>(here.real[j]);
    }
  }
}

/// Rounds to the nearest whole number where whole numbers are stored.
template <class Stored>
ONEHOP_INLINE Stored stored_as(arithmetic<Stored> value) {
  if constexpr (std::is_integral_v<Stored>) {
    return static_cast<Stored>(rintf(value));
  } else {
    return value;
  }
}

template <class Stored, int Reals>
ONEHOP_INLINE void store_row(const arithmetic<Stored>* row, void* base, std::int64_t stride,
                             std::int64_t site) {
  constexpr int width = pack_width<Stored>(Reals);
  using packed = pack<Stored, width>;
  auto* to = static_cast<packed*>(base) + site;
  ONEHOP_UNROLL
  for (int k = 0; k < Reals / width; ++k) {
    packed here;
    ONEHOP_UNROLL
    for (int j = 0; j < width; ++j) here.real[j] = stored_as<Stored>(row[k * width + j]);
    to[k * stride] = here;
  }
}

}  // namespace onehop::device
