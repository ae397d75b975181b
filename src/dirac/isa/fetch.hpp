#pragma once
/// This file fetches a neighbour's face components, wherever they come from.

#include "dirac/isa/block.hpp"
#include "dirac/isa/simd.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

/// Reads the components that `Site` fetches from a block of `field`. 16-bit numbers are added
/// before they are scaled, since adding halves their number.
template <class Site, class V>
ONEHOP_INLINE void read_face(complex_simd<V>* face, const std::byte* field, bool fixed,
                             std::ptrdiff_t block) {
  constexpr int count = 2 * Site::components;
  if constexpr (sizeof(typename V::real) == sizeof(float)) {
    if (fixed) {
      const fixed_block<V> numbers(field +
                                   block * block_bytes(field_precision::half, count, V::lanes));
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

/// A neighbourhood is the data read around one vector for one right-hand side. It is copied out of
/// the job to stay in registers: the compiler has to assume that stores change memory, and a hop is
/// limited by the amount of data it reads.
struct neighbourhood {
  const hop_job& job;
  const std::byte* in;
  const lane_neighbour* from;  ///< [8 directions] of the vector
  unsigned edges;
  bool fixed;
  int rhs, n;  ///< number of right-hand sides; the current one

  ONEHOP_INLINE neighbourhood(const hop_job& of, std::ptrdiff_t vector, bool is_fixed, int of_rhs,
                              int number)
      : job(of),
        in(of.in),
        from(of.neighbours + vector * 8),
        edges(of.edges[vector]),
        fixed(is_fixed),
        rhs(of_rhs),
        n(number) {}

  /// Returns whether the neighbour is beyond an edge, so that its lanes are in another order or are
  /// ghosts.
  ONEHOP_INLINE bool leaves(int direction) const { return (edges & (1U << direction)) != 0; }
  ONEHOP_INLINE std::ptrdiff_t block(std::ptrdiff_t place) const { return place * rhs + n; }
};

/// Fetches what a site takes from a neighbour, some of whose lanes come from another rank. If all
/// lanes do, nothing else is read.
template <class Site, int Direction, class V>
ONEHOP_INLINE void fetch_ghost(complex_simd<V>* face, const neighbourhood& at,
                               const lane_neighbour& from) {
  const int stride = at.job.face_lanes[Direction % 4];
  const auto* ghost =
      static_cast<const typename V::real*>(at.job.ghosts[Direction]) +
      (at.block(from.face) * Site::face_components + Site::first_fetched) * 2 * stride;
  if (from.rotated == 0) {
    for (int c = 0; c < Site::fetched; ++c) {
      face[c].re = V::load_unaligned(ghost + 2 * c * V::lanes);
      face[c].im = V::load_unaligned(ghost + (2 * c + 1) * V::lanes);
    }
    return;
  }
  read_face<Site>(face, at.in, at.fixed, at.block(from.vector));
  for (int c = 0; c < Site::fetched; ++c) {
    const V re = V::load_unaligned(ghost + 2 * c * stride);
    const V im = V::load_unaligned(ghost + (2 * c + 1) * stride);
    face[c].re = shuffle(face[c].re, re, at.job.shuffles[Direction]);
    face[c].im = shuffle(face[c].im, im, at.job.shuffles[Direction]);
  }
}

/// Rearranges numbers from the neighbour's lanes to the lanes of the site.
template <int Direction, int Count, class V>
ONEHOP_INLINE void rearrange(complex_simd<V>* numbers, const neighbourhood& at) {
  for (int c = 0; c < Count; ++c) {
    numbers[c].re = shuffle(numbers[c].re, numbers[c].re, at.job.shuffles[Direction]);
    numbers[c].im = shuffle(numbers[c].im, numbers[c].im, at.job.shuffles[Direction]);
  }
}

/// Returns whether some or all lanes of the neighbour come from another rank. Without ghosts the
/// code for them is not compiled, because it would add jumps around each fetch.
template <int Direction, bool Ghosts>
ONEHOP_INLINE bool is_ghost(const neighbourhood& at) {
  return Ghosts && at.leaves(Direction) && at.from[Direction].face >= 0;
}

/// Fetches a face in the lanes of the site or, with `NeighboursLanes` and without ghosts, in the
/// neighbour's lanes.
template <class Site, int Direction, bool Ghosts, bool NeighboursLanes = false, class V>
ONEHOP_INLINE void fetch(complex_simd<V>* face, const neighbourhood& at) {
  const lane_neighbour& from = at.from[Direction];
  if (is_ghost<Direction, Ghosts>(at)) return fetch_ghost<Site, Direction>(face, at, from);
  read_face<Site>(face, at.in, at.fixed, at.block(from.vector));
  if (!NeighboursLanes && at.leaves(Direction)) rearrange<Direction, Site::fetched>(face, at);
}

}  // namespace
}  // namespace onehop
