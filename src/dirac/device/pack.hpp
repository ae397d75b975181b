#pragma once
/// The device layout stores a site's row of reals in packs of up to 16 bytes, so that neighbouring
/// threads load neighbouring packs with one vector instruction each. The packs of a group of 32
/// sites lie together, so that a thread computes one address for all packs of a row:
///
///     24 floats a site:  | sites 0 to 31:                 | sites 32 to 63:
///                        | pack 0 of each | ... | pack 5  | pack 0 of each | ...
///                          r0 r1 r2 r3           r20 .. r23
///
/// Whole groups are allocated.

#include "device/inline.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace onehop::device {

/// A group is the sites of one warp of CUDA threads.
constexpr std::int32_t group_sites = 32;

constexpr std::int32_t groups_of(std::int32_t sites) {
  return (sites + group_sites - 1) / group_sites;
}
/// Returns the number of sites for which memory is allocated.
ONEHOP_INLINE constexpr std::int32_t padded_sites(std::int32_t sites) {
  return (sites + group_sites - 1) / group_sites * group_sites;
}

/// Returns the reals in a pack: the most that fit in 16 bytes and divide the row.
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

/// Kernels compute in this type; 16-bit numbers are converted to float.
template <class Stored>
using arithmetic = std::conditional_t<std::is_same_v<Stored, double>, double, float>;

constexpr float fixed_one = 32767.0F;

/// Returns the position, in packs, of a site's first pack among rows of `packs`.
template <int Packs>
ONEHOP_INLINE std::uint64_t first_pack(std::int32_t site) {
  constexpr std::uint32_t group = group_sites;
  const auto n = static_cast<std::uint32_t>(site);
  return std::uint64_t{n / group} * (group * Packs) + n % group;
}

template <class Stored, int Reals>
ONEHOP_INLINE void load_row(arithmetic<Stored>* row, const void* base, std::int32_t site) {
  constexpr int width = pack_width<Stored>(Reals);
  using packed = pack<Stored, width>;
  const auto* from = static_cast<const packed*>(base) + first_pack<Reals / width>(site);
  ONEHOP_UNROLL
  for (int k = 0; k < Reals / width; ++k) {
    const packed here = from[k * group_sites];
    ONEHOP_UNROLL
    for (int j = 0; j < width; ++j) {
      row[k * width + j] = static_cast<arithmetic<Stored>>(here.real[j]);
    }
  }
}

/// Rounds to the nearest integer if integers are stored.
template <class Stored>
ONEHOP_INLINE Stored stored_as(arithmetic<Stored> value) {
  if constexpr (std::is_integral_v<Stored>) {
    return static_cast<Stored>(rintf(value));
  } else {
    return value;
  }
}

template <class Stored, int Reals>
ONEHOP_INLINE void store_row(const arithmetic<Stored>* row, void* base, std::int32_t site) {
  constexpr int width = pack_width<Stored>(Reals);
  using packed = pack<Stored, width>;
  auto* to = static_cast<packed*>(base) + first_pack<Reals / width>(site);
  ONEHOP_UNROLL
  for (int k = 0; k < Reals / width; ++k) {
    packed here;
    ONEHOP_UNROLL
    for (int j = 0; j < width; ++j) here.real[j] = stored_as<Stored>(row[k * width + j]);
    to[k * group_sites] = here;
  }
}

}  // namespace onehop::device
