#pragma once
/// What all nearest-neighbour operators share: fetch the neighbour, multiply by the link, add up in
/// the order x+, x-, y+, ... whatever the lanes, ranks or overlap, so that the bits never differ.

#include "dirac/isa/simd.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

/// The neighbour's face components in every lane, wherever they come from.
template <class Site, int Direction, class V>
ONEHOP_INLINE void fetch(complex_simd<V>* face, const hop_job& job, const lane_neighbour& from) {
  constexpr int site_reals = Site::components * 2 * V::lanes;
  Site::template project<V>(face, job.in + static_cast<std::ptrdiff_t>(from.vector) * site_reals);
  if (from.face >= 0) {
    const int stride = job.face_lanes[Direction % 4];
    const auto* ghost = job.ghosts[Direction] +
                        static_cast<std::ptrdiff_t>(from.face) * Site::face_components * 2 * stride;
    for (int c = 0; c < Site::face_components; ++c) {
      const V re = V::load_unaligned(ghost + 2 * c * stride);
      const V im = V::load_unaligned(ghost + (2 * c + 1) * stride);
      face[c].re = shuffle(face[c].re, re, job.shuffles[Direction]);
      face[c].im = shuffle(face[c].im, im, job.shuffles[Direction]);
    }
  } else if (from.rotated != 0) {
    for (int c = 0; c < Site::face_components; ++c) {
      face[c].re = shuffle(face[c].re, face[c].re, job.shuffles[Direction]);
      face[c].im = shuffle(face[c].im, face[c].im, job.shuffles[Direction]);
    }
  }
}

/// Each colour triplet of `face` times the 3x3 link.
template <int Triplets, class V>
ONEHOP_INLINE void multiply(complex_simd<V>* face, const typename V::real* link) {
  complex_simd<V> result[3 * Triplets];
  for (int row = 0; row < 3; ++row) {
    for (int s = 0; s < Triplets; ++s) result[3 * s + row] = complex_simd<V>::zero();
    for (int column = 0; column < 3; ++column) {
      const auto u = complex_simd<V>::load(link + (3 * row + column) * 2 * V::lanes);
      for (int s = 0; s < Triplets; ++s) {
        result[3 * s + row] = multiply_add(result[3 * s + row], u, face[3 * s + column]);
      }
    }
  }
  for (int k = 0; k < 3 * Triplets; ++k) face[k] = result[k];
}

template <template <int> class Site, int Direction, class V>
ONEHOP_INLINE void hop_one(complex_simd<V>* sum, const hop_job& job, std::ptrdiff_t vector) {
  using site = Site<Direction>;
  complex_simd<V> face[site::face_components];
  fetch<site, Direction>(face, job, job.neighbours[vector * 8 + Direction]);
  multiply<site::face_components / 3>(face, job.links + (vector * 8 + Direction) * 18 * V::lanes);
  site::accumulate(sum, face);
}

template <class V>
ONEHOP_INLINE void finish(const complex_simd<V>* sum, const hop_job& job, std::ptrdiff_t vector,
                          int components) {
  const std::ptrdiff_t offset = vector * components * 2 * V::lanes;
  const V hop_scale = V::broadcast(job.hop_scale);
  const V addend_scale = V::broadcast(job.addend_scale);
  for (int c = 0; c < components; ++c) {
    complex_simd<V> value{hop_scale * sum[c].re, hop_scale * sum[c].im};
    if (job.addend != nullptr) {
      const auto addend = complex_simd<V>::load(job.addend + offset + c * 2 * V::lanes);
      value = {value.re + addend_scale * addend.re, value.im + addend_scale * addend.im};
    }
    value.store(job.out + offset + c * 2 * V::lanes);
  }
}

template <template <int> class Site, class V>
void hop(const hop_job& job) {
  constexpr int components = Site<0>::components;
  for (std::int32_t i = 0; i < job.count; ++i) {
    const std::ptrdiff_t vector = job.vectors[i];
    complex_simd<V> sum[components];
    for (auto& s : sum) s = complex_simd<V>::zero();
    hop_one<Site, 0>(sum, job, vector);
    hop_one<Site, 4>(sum, job, vector);
    hop_one<Site, 1>(sum, job, vector);
    hop_one<Site, 5>(sum, job, vector);
    hop_one<Site, 2>(sum, job, vector);
    hop_one<Site, 6>(sum, job, vector);
    hop_one<Site, 3>(sum, job, vector);
    hop_one<Site, 7>(sum, job, vector);
    finish(sum, job, vector, components);
  }
}

/// The receiver in `Direction` sees these sites in the opposite direction.
template <template <int> class Site, int Direction, class V>
void pack_face(const pack_job& job) {
  using site = Site<(Direction + 4) % 8>;
  typename V::real* out = job.out;
  for (std::int32_t i = 0; i < job.count; ++i) {
    complex_simd<V> face[site::face_components];
    const std::ptrdiff_t offset =
        static_cast<std::ptrdiff_t>(job.vectors[i]) * site::components * 2 * V::lanes;
    site::template project<V>(face, job.in + offset);
    for (const auto& component : face) {
      for (int l = 0; l < job.face_lanes; ++l) *out++ = component.re.v[job.lanes[l]];
      for (int l = 0; l < job.face_lanes; ++l) *out++ = component.im.v[job.lanes[l]];
    }
  }
}

template <template <int> class Site, class V>
void pack(const pack_job& job) {
  switch (job.direction) {
    case 0:
      return pack_face<Site, 0, V>(job);
    case 1:
      return pack_face<Site, 1, V>(job);
    case 2:
      return pack_face<Site, 2, V>(job);
    case 3:
      return pack_face<Site, 3, V>(job);
    case 4:
      return pack_face<Site, 4, V>(job);
    case 5:
      return pack_face<Site, 5, V>(job);
    case 6:
      return pack_face<Site, 6, V>(job);
    default:
      return pack_face<Site, 7, V>(job);
  }
}

}  // namespace
}  // namespace onehop
