#pragma once
/// What all nearest-neighbour operators share: fetch the neighbour, multiply by the link, add up in
/// the order x+, x-, y+, ... whatever the lanes, ranks or overlap, so that the bits never differ.

#include "dirac/isa/block.hpp"
#include "dirac/isa/compressed_link.hpp"
#include "dirac/isa/halo_ahead.hpp"
#include "dirac/isa/multiply_link.hpp"
#include "dirac/isa/read_ahead.hpp"
#include "dirac/isa/simd.hpp"
#include "dirac/isa/site_factor.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

constexpr int backward_of(int direction) { return (direction + 4) % 8; }

/// The neighbour's face components in every lane, wherever they come from.
template <class Site, int Direction, class V>
ONEHOP_INLINE void fetch(complex_simd<V>* face, const hop_job& job, const lane_neighbour& from,
                         int rhs) {
  alignas(64) typename V::real opened[Site::components * 2 * V::lanes];
  Site::project(face, open<V, Site::components>(
                          job.in, job.fixed, std::ptrdiff_t{from.vector} * job.rhs + rhs, opened));
  if (from.face >= 0) {
    const int stride = job.face_lanes[Direction % 4];
    const auto* ghost =
        static_cast<const typename V::real*>(job.ghosts[Direction]) +
        (std::ptrdiff_t{from.face} * job.rhs + rhs) * Site::face_components * 2 * stride;
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

/// Adds to the sums, or as the first sets them.
template <template <int> class Site, int Direction, bool First, class V, class Halo>
ONEHOP_INLINE void hop_one(complex_simd<V>* sum, const hop_job& job, std::ptrdiff_t vector, int rhs,
                           const typename V::real* link, const read_ahead& ahead,
                           const Halo& halo) {
  using site = Site<Direction>;
  constexpr int triplets = site::face_components / 3;
  constexpr int spinor_lines = lines_of<V>(site::components / 4);
  complex_simd<V> face[site::face_components];
  fetch<site, Direction>(face, job, job.neighbours[vector * 8 + Direction], rhs);
  halo.template ask<Direction>();
  ask_for<spinor_lines>(ahead.spinor + turn_of(Direction) * spinor_lines * line_bytes);
  for (int row = 0; row < 3; ++row) {
    ask_for<lines_of<V>(6)>(ahead.link[Direction] + row * 6 * sizeof(V));
    complex_simd<V> product[triplets];
    multiply_row<(Direction >= 4), triplets>(product, face, link, row);
    site::template accumulate<First>(sum, product, row);
  }
}

template <int Components, class V>
ONEHOP_INLINE void leave_sums(const complex_simd<V>* out, const typename V::real* addend,
                              const site_sums& sums, std::ptrdiff_t block) {
  if (sums.norms != nullptr) {
    V norm = V::zero();
    for (int c = 0; c < Components; ++c) {
      norm = norm + out[c].re * out[c].re;
      norm = norm + out[c].im * out[c].im;
    }
    store_doubles(norm, sums.norms + block * V::lanes);
  }
  if (sums.dots != nullptr) {
    V dot = V::zero();
    for (int c = 0; c < Components; ++c) {
      const auto x = complex_simd<V>::load(addend + c * 2 * V::lanes);
      dot = dot + x.re * out[c].re;
      dot = dot + x.im * out[c].im;
    }
    store_doubles(dot, sums.dots + block * V::lanes);
  }
}

/// The same as `finish` where a factor is not a number. Out of line and from memory, so that the
/// sums of operators without such factors stay in registers.
template <class V>
[[gnu::noinline]] void finish_with_factors(typename V::real* hopped, const hop_job& job,
                                           std::ptrdiff_t vector, std::ptrdiff_t block) {
  constexpr int components = 12;
  alignas(64) typename V::real opened[components * 2 * V::lanes];
  alignas(64) typename V::real product[components * 2 * V::lanes];
  const typename V::real* addend = nullptr;
  if (job.addend != nullptr) {
    addend = open<V, components>(job.addend, job.fixed, block, opened);
    const site_factor number{job.addend_scale};
    const site_factor* factor = job.addend_factor != nullptr ? job.addend_factor : &number;
    multiply_site<V>(product, addend, *factor, job.fixed, vector);
  }
  const V hop_scale = V::broadcast(static_cast<typename V::real>(job.hop_scale));
  complex_simd<V> sum[components];
  for (int c = 0; c < components; ++c) {
    const auto value = complex_simd<V>::load(hopped + c * 2 * V::lanes);
    sum[c] = {hop_scale * value.re, hop_scale * value.im};
    if (addend == nullptr) continue;
    const auto added = complex_simd<V>::load(product + c * 2 * V::lanes);
    sum[c] = {sum[c].re + added.re, sum[c].im + added.im};
  }
  if (job.result_factor != nullptr) {
    for (int c = 0; c < components; ++c) sum[c].store(hopped + c * 2 * V::lanes);
    multiply_site<V>(hopped, hopped, *job.result_factor, job.fixed, vector);
    for (int c = 0; c < components; ++c) {
      sum[c] = complex_simd<V>::load(hopped + c * 2 * V::lanes);
    }
  }
  leave_sums<components>(sum, addend, job.sums, block);
  close<V, components>(job.out, job.fixed, job.streaming, block, sum);
}

template <int Components, class V>
ONEHOP_INLINE void finish(complex_simd<V>* sum, const hop_job& job, std::ptrdiff_t vector,
                          std::ptrdiff_t block) {
  if constexpr (Components == 12) {
    if (job.addend_factor != nullptr || job.result_factor != nullptr) {
      alignas(64) typename V::real hopped[Components * 2 * V::lanes];
      for (int c = 0; c < Components; ++c) sum[c].store(hopped + c * 2 * V::lanes);
      finish_with_factors<V>(hopped, job, vector, block);
      return;
    }
  }
  alignas(64) typename V::real opened[Components * 2 * V::lanes];
  const V hop_scale = V::broadcast(static_cast<typename V::real>(job.hop_scale));
  for (int c = 0; c < Components; ++c) sum[c] = {hop_scale * sum[c].re, hop_scale * sum[c].im};
  const typename V::real* addend = nullptr;
  if (job.addend != nullptr) {
    const V addend_scale = V::broadcast(static_cast<typename V::real>(job.addend_scale));
    addend = open<V, Components>(job.addend, job.fixed, block, opened);
    for (int c = 0; c < Components; ++c) {
      const auto value = complex_simd<V>::load(addend + c * 2 * V::lanes);
      sum[c] = {sum[c].re + addend_scale * value.re, sum[c].im + addend_scale * value.im};
    }
  }
  leave_sums<Components>(sum, addend, job.sums, block);
  close<V, Components>(job.out, job.fixed, job.streaming, block, sum);
}

/// The eight links of a vector, ready to multiply with.
template <class V>
struct opened_links {
  const typename V::real* link[8];
  alignas(64) typename V::real buffer[8][18 * V::lanes];

  ONEHOP_INLINE opened_links(const link_view& links, link_opener<V> opener, std::ptrdiff_t vector) {
    const link_place* places = links.places + vector * 8;
    for (int d = 0; d < 8; ++d) {
      const std::byte* block = links.blocks + std::ptrdiff_t{places[d].block} *
                                                  static_cast<std::ptrdiff_t>(links.block_bytes);
      if (opener == nullptr) {
        link[d] = reinterpret_cast<const typename V::real*>(block);
      } else {
        opener(buffer[d], block, links.scale, links.signs[places[d].sign]);
        link[d] = buffer[d];
      }
    }
  }
};

template <template <int> class Site, class V, class Asker, bool Several>
void hop_and_ask(const hop_job& job) {
  constexpr int components = Site<0>::components;
  const auto spinor_bytes =
      static_cast<std::ptrdiff_t>(block_bytes(job.fixed                       ? storage::fixed16
                                              : sizeof(typename V::real) == 8 ? storage::real64
                                                                              : storage::real32,
                                              2 * components, V::lanes));
  const link_opener<V> opener = choose_opener<V>(job.links);
  const Asker asker(job);
  const bool vector_ahead = job.from_memory || opener != nullptr;
  for (std::int32_t i = 0; i < job.count; ++i) {
    const std::ptrdiff_t vector = job.vectors[i];
    const opened_links<V> links(job.links, opener, vector);
    const read_ahead as_only = look_ahead<V>(job, i, vector_ahead, spinor_bytes);
    read_ahead ahead = as_only;
    auto halo = asker.at(job, i);
    for (int rhs = 0; rhs < (Several ? job.rhs : 1); ++rhs) {
      if (Several && job.rhs > 1) {
        look_past(ahead, as_only.link, job, vector, rhs, spinor_bytes);
      }
      complex_simd<V> sum[components];
      hop_one<Site, 0, true>(sum, job, vector, rhs, links.link[0], ahead, halo);
      hop_one<Site, 4, false>(sum, job, vector, rhs, links.link[4], ahead, halo);
      hop_one<Site, 1, false>(sum, job, vector, rhs, links.link[1], ahead, halo);
      hop_one<Site, 5, false>(sum, job, vector, rhs, links.link[5], ahead, halo);
      hop_one<Site, 2, false>(sum, job, vector, rhs, links.link[2], ahead, halo);
      hop_one<Site, 6, false>(sum, job, vector, rhs, links.link[6], ahead, halo);
      hop_one<Site, 3, false>(sum, job, vector, rhs, links.link[3], ahead, halo);
      hop_one<Site, 7, false>(sum, job, vector, rhs, links.link[7], ahead, halo);
      finish<components>(sum, job, vector, vector * job.rhs + rhs);
      ahead.spinor += spinor_bytes;
      halo.advance();
    }
  }
}

template <template <int> class Site, class V>
void hop(const hop_job& job) {
  // Only where speed matters, for it is a long function.
  if constexpr (sizeof(V) == widest_bytes) {
    if (!meets_halo(job)) {
      job.rhs > 1 ? hop_and_ask<Site, V, no_halo, true>(job)
                  : hop_and_ask<Site, V, no_halo, false>(job);
      return;
    }
  }
  hop_and_ask<Site, V, halo_asker<V, 2 * Site<0>::face_components>, true>(job);
}

/// Writes the lanes that lie on the face, and returns where the next go. All of them do where the
/// lanes do not split the direction.
template <class V>
ONEHOP_INLINE typename V::real* leave_lanes(typename V::real* out, V value, const pack_job& job) {
  if (job.face_lanes == V::lanes) {
    job.streaming ? value.stream(out) : value.store_unaligned(out);
  } else {
    for (int l = 0; l < job.face_lanes; ++l) out[l] = value.v[job.lanes[l]];
  }
  return out + job.face_lanes;
}

/// The receiver in `Direction` sees these sites in the opposite direction.
template <template <int> class Site, int Direction, class V>
void pack_face(const pack_job& job) {
  using site = Site<backward_of(Direction)>;
  auto* out = static_cast<typename V::real*>(job.out);
  alignas(64) typename V::real opened[site::components * 2 * V::lanes];
  for (std::int32_t i = 0; i < job.count; ++i) {
    for (int rhs = 0; rhs < job.rhs; ++rhs) {
      complex_simd<V> face[site::face_components];
      site::project(
          face, open<V, site::components>(job.in, job.fixed,
                                          std::ptrdiff_t{job.vectors[i]} * job.rhs + rhs, opened));
      for (const auto& component : face) {
        out = leave_lanes(out, component.re, job);
        out = leave_lanes(out, component.im, job);
      }
    }
  }
}

template <template <int> class Site, class V>
void pack(const pack_job& job) {
  using packer = void (*)(const pack_job&);
  constexpr packer packers[] = {pack_face<Site, 0, V>, pack_face<Site, 1, V>, pack_face<Site, 2, V>,
                                pack_face<Site, 3, V>, pack_face<Site, 4, V>, pack_face<Site, 5, V>,
                                pack_face<Site, 6, V>, pack_face<Site, 7, V>};
  packers[job.direction](job);
}

}  // namespace
}  // namespace onehop
