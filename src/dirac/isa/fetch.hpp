#pragma once
/// A neighbour's face components, wherever they come from.

#include "dirac/isa/block.hpp"
#include "dirac/isa/simd.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

/// Those that `Site` fetches of a block of `field`. Sixteen-bit numbers are added up as they are
/// and then scaled: there are half as many by then.
template <class Site, class V>
ONEHOP_INLINE void read_face(complex_simd<V>* face, const std::byte* field, bool fixed,
                             std::ptrdiff_t block) {
  constexpr int count = 2 * Site::components;
  if constexpr (sizeof(typename V::real) == sizeof(float)) {
    if (fixed) {
      const fixed_block<V> numbers(field + block * block_bytes(storage::fixed16, count, V::lanes));
      Site::project(face, numbers);
      for (int c = 0; c < Site::fetched; ++c) {
        face[c] = {numbers.scale * face[c].re, numbers.scale * face[c].im};
      }
      return;
    }
  }
  const auto* reals = reinterpret_cast<const typename V::real*>(field);
  Site::project(face, real_block<V>{reals + block * count * V::lanes});
}

/// In every lane, of right-hand side `rhs` among `columns`. Where there are no ghosts their code is
/// not there either: around it each fetch would take jumps.
template <class Site, int Direction, bool Ghosts, class V>
ONEHOP_INLINE void fetch(complex_simd<V>* face, const hop_job& job, bool fixed,
                         const lane_neighbour& from, int columns, int rhs) {
  if constexpr (Ghosts) {
    if (from.face >= 0) {
      const int stride = job.face_lanes[Direction % 4];
      const std::ptrdiff_t block = std::ptrdiff_t{from.face} * columns + rhs;
      const auto* ghost = static_cast<const typename V::real*>(job.ghosts[Direction]) +
                          (block * Site::face_components + Site::first_fetched) * 2 * stride;
      if (from.rotated == 0) {
        for (int c = 0; c < Site::fetched; ++c) {
          face[c].re = V::load_unaligned(ghost + 2 * c * V::lanes);
          face[c].im = V::load_unaligned(ghost + (2 * c + 1) * V::lanes);
        }
        return;
      }
      read_face<Site>(face, job.in, fixed, std::ptrdiff_t{from.vector} * columns + rhs);
      for (int c = 0; c < Site::fetched; ++c) {
        const V re = V::load_unaligned(ghost + 2 * c * stride);
        const V im = V::load_unaligned(ghost + (2 * c + 1) * stride);
        face[c].re = shuffle(face[c].re, re, job.shuffles[Direction]);
        face[c].im = shuffle(face[c].im, im, job.shuffles[Direction]);
      }
      return;
    }
  }
  read_face<Site>(face, job.in, fixed, std::ptrdiff_t{from.vector} * columns + rhs);
  if (from.rotated != 0) {
    for (int c = 0; c < Site::fetched; ++c) {
      face[c].re = shuffle(face[c].re, face[c].re, job.shuffles[Direction]);
      face[c].im = shuffle(face[c].im, face[c].im, job.shuffles[Direction]);
    }
  }
}

}  // namespace
}  // namespace onehop
