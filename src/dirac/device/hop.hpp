#pragma once
/// This is nearest-neighbour hopping with one site of one right-hand side per thread. The spin and
/// colour algebra is shared with the host's kernels; the layout and the neighbours are the
/// device's. Threads of a block take the same sites of several right-hand sides, so that links are
/// loaded from memory once for all of them.

#include "device/block_shapes.hpp"
#include "dirac/device/multiply.hpp"
#include "dirac/isa/expand_link.hpp"
#include "dirac/isa/multiply_link.hpp"
#include "dirac/isa/staggered_site.hpp"
#include "dirac/isa/wilson.hpp"

namespace onehop::device {
namespace {

constexpr int opposite(int direction) { return (direction + 4) % 8; }

/// 16-bit links of 18 and 12 reals are opened as multiples of their scale. The scale multiplies the
/// neighbour's spinor instead, which costs nothing because the spinor has its own scale anyway.
template <class Stored, int Reals>
constexpr bool leaves_scale = Reals != 8 && std::is_integral_v<Stored>;

/// Reconstructs the link as 18 reals, without `scale` if leaves_scale says so.
template <class Stored, int Reals>
ONEHOP_INLINE void open_link(arithmetic<Stored>* u, const void* rows, std::int32_t site,
                             arithmetic<Stored> sign, float scale) {
  using lane = one_lane<arithmetic<Stored>>;
  arithmetic<Stored> stored[Reals];
  load_row<Stored, Reals>(stored, rows, site);
  if constexpr (Reals == 18) {
    ONEHOP_UNROLL
    for (int k = 0; k < 18; ++k) u[k] = stored[k];
  } else {
    if constexpr (std::is_integral_v<Stored>) {
      if constexpr (leaves_scale<Stored, Reals>) {
        sign *= scale;  // the third row is a product of two rows, only one of which needs the scale
      } else {
        ONEHOP_UNROLL
        for (int k = 0; k < Reals; ++k) stored[k] *= scale;
      }
    }
    lane lanes[Reals];
    ONEHOP_UNROLL
    for (int k = 0; k < Reals; ++k) lanes[k] = {stored[k]};
    const lane factor = lane::broadcast(sign);
    if constexpr (Reals == 12) {
      expand_twelve(u, lanes, factor);
    } else {
      expand_eight(u, lanes, factor);
    }
  }
}

/// The extras are what a hop has besides one-site links and numbers: three-site links, or factors
/// at the sites.
enum class extras { none, far_links, factors };

template <template <int> class Site, class Stored, int Reals, extras Extras = extras::none>
struct hop {
  using real = arithmetic<Stored>;
  using lane = one_lane<real>;
  static constexpr int components = Site<0>::components;
  static constexpr kernel_kind kind = Extras == extras::far_links ? kernel_kind::far
                                      : components == 3           ? kernel_kind::staggered
                                      : Extras == extras::factors ? kernel_kind::factored
                                                                  : kernel_kind::wilson;
  static constexpr field_precision precision = std::is_integral_v<Stored> ? field_precision::half
                                               : std::is_same_v<Stored, double>
                                                   ? field_precision::double_
                                                   : field_precision::single;
  static constexpr std::size_t shape = block_shapes::place(kind, precision, Reals);
  /// This many blocks of 256 threads share a multiprocessor, which limits the registers of a
  /// thread: 80 for 3, 64 for 4, 128 for 2. Hops with many right-hand sides or 16 bits wait for
  /// memory latency rather than bandwidth, and more warps hide more of it, even though 16-bit
  /// kernels then spill a few registers. Measured on an H100; bounds for other kernels made them
  /// slower.
  static constexpr int blocks_together =
      std::is_integral_v<Stored> ? (kind == kernel_kind::factored ? 2 : 4)
      : kind == kernel_kind::wilson && precision == field_precision::single ? 3
                                                                            : 1;

  hop_job job;

  /// Fetches what a neighbour sends over the link, times the scale of the links if leaves_scale
  /// says so.
  template <int Direction>
  ONEHOP_INLINE void fetch(complex_simd<lane>* face, const link_view& links,
                           const neighbour_place& there, std::int32_t n) const {
    using site = Site<Direction>;
    constexpr int reals = 2 * site::face_components;
    real scale = leaves_scale<Stored, Reals> ? link_scale(links) : 1;
    if (there.ghost) {
      real row[reals];
      const real* const rows = static_cast<const real*>(job.ghosts[Direction]);
      load_row<real, reals>(row, rows + n * job.ghost_sites[Direction] * reals, there.index);
      ONEHOP_UNROLL
      for (int c = 0; c < site::face_components; ++c) face[c] = {{row[2 * c]}, {row[2 * c + 1]}};
    } else {
      real row[2 * components];
      scale *= load_stored<Stored, 2 * components>(row, job.in, there.index, n);
      site::project(face, real_block<lane>{row});
    }
    if constexpr (std::is_integral_v<Stored>) {
      ONEHOP_UNROLL
      for (int c = 0; c < site::face_components; ++c) {
        face[c] = {{scale * face[c].re.v}, {scale * face[c].im.v}};
      }
    }
  }

  ONEHOP_INLINE static float link_scale(const link_view& links) {
    return links.scale * (1.0F / fixed_one);
  }

  template <int Direction>
  ONEHOP_INLINE void fetch_link(real* u, const link_view& links, const site_place& here,
                                const neighbour_place& there) const {
    constexpr int mu = Direction % 4;
    const real sign = Reals == 18 ? 1.0F : job.map.link_sign(here, Direction);
    const std::int32_t owner = Direction < 4 ? job.parity : 1 - job.parity;
    const float scale = link_scale(links);
    if (Direction >= 4 && there.ghost) {
      open_link<Stored, Reals>(u, links.ghosts[mu][owner], there.index, sign, scale);
    } else {
      const auto* rows =
          static_cast<const Stored*>(links.rows) + (owner * 4 + mu) * links.sites * Reals;
      open_link<Stored, Reals>(u, rows, Direction < 4 ? here.index : there.index, sign, scale);
    }
  }

  template <int Direction, int Distance>
  ONEHOP_INLINE void hop_one(complex_simd<lane>* sum, const site_place& here,
                             std::int32_t n) const {
    using at = Site<Direction>;
    constexpr int triplets = at::face_components / 3;
    const neighbour_place there = job.map.neighbour(here, Direction, Distance);
    complex_simd<lane> face[at::face_components];
    const link_view& links = Distance == 1 ? job.links : job.far_links;
    fetch<Direction>(face, links, there, n);
    real u[18];
    fetch_link<Direction>(u, links, here, there);
    ONEHOP_UNROLL
    for (int row = 0; row < 3; ++row) {
      complex_simd<lane> product[triplets] = {};
      multiply_row<(Direction >= 4), triplets>(product, face, real_block<lane>{u}, row);
      at::template accumulate<Direction == 0 && Distance == 1>(sum, product, row);
    }
  }

  template <int Distance>
  ONEHOP_INLINE void hop_all(complex_simd<lane>* sum, const site_place& here,
                             std::int32_t n) const {
    hop_one<0, Distance>(sum, here, n);
    hop_one<4, Distance>(sum, here, n);
    hop_one<1, Distance>(sum, here, n);
    hop_one<5, Distance>(sum, here, n);
    hop_one<2, Distance>(sum, here, n);
    hop_one<6, Distance>(sum, here, n);
    hop_one<3, Distance>(sum, here, n);
    hop_one<7, Distance>(sum, here, n);
  }

  /// Adds out += addend_factor addend.
  ONEHOP_INLINE void add(real* out, const real* addend, std::int32_t site) const {
    if constexpr (Extras == extras::factors) {
      real product[2 * components];
      multiply_site<Stored>(product, addend, job.addend_factor, site);
      ONEHOP_UNROLL
      for (int k = 0; k < 2 * components; ++k) out[k] += product[k];
    } else {
      const real scale = static_cast<real>(job.addend_factor.scale);
      ONEHOP_UNROLL
      for (int k = 0; k < 2 * components; ++k) out[k] += scale * addend[k];
    }
  }

  ONEHOP_INLINE two_sums finish(const complex_simd<lane>* sum, std::int32_t site,
                                std::int32_t n) const {
    real out[2 * components];
    const real hop_scale = static_cast<real>(job.hop_scale);
    ONEHOP_UNROLL
    for (int c = 0; c < components; ++c) {
      out[2 * c] = hop_scale * sum[c].re.v;
      out[2 * c + 1] = hop_scale * sum[c].im.v;
    }
    real norm = 0;
    real dot = 0;
    real addend[2 * components] = {};
    const bool adds = job.addend.rows != nullptr;
    if (adds) {
      open_row<Stored, 2 * components>(addend, job.addend, site, n);
      add(out, addend, site);
    }
    if constexpr (Extras == extras::factors) {
      multiply_site<Stored>(out, out, job.result_factor, site);
    }
    if (adds) {
      ONEHOP_UNROLL
      for (int k = 0; k < 2 * components; ++k) dot += addend[k] * out[k];
    }
    ONEHOP_UNROLL
    for (int k = 0; k < 2 * components; ++k) norm += out[k] * out[k];
    close_row<Stored, 2 * components>(out, job.out, site, n);
    return {static_cast<double>(norm), static_cast<double>(dot)};
  }

  ONEHOP_INLINE two_sums operator()(std::int32_t number, std::int32_t n) const {
    if (is_idle(job.active, n)) return {0, 0};
    const std::int32_t site = job.part == sites::list ? job.list[number] : number;
    const site_place here = job.map.place(site, job.parity);
    if (job.part == sites::interior && job.map.leaves_anywhere(here)) return {0, 0};
    complex_simd<lane> sum[components];  // set by the first direction
    hop_all<1>(sum, here, n);
    if constexpr (Extras == extras::far_links) hop_all<3>(sum, here, n);
    return finish(sum, site, n);
  }
};

/// The receiver in `Direction` sees these sites in the opposite direction.
template <template <int> class Site, int Direction, class Stored>
struct pack_face {
  using real = arithmetic<Stored>;
  using site = Site<opposite(Direction)>;

  pack_job job;

  ONEHOP_INLINE two_sums operator()(std::int32_t entry, std::int32_t n) const {
    if (is_idle(job.active, n)) return {0, 0};
    real row[2 * site::components];
    open_row<Stored, 2 * site::components>(row, job.in, job.list[entry], n);
    complex_simd<one_lane<real>> face[site::face_components];
    site::project(face, real_block<one_lane<real>>{row});
    constexpr int reals = 2 * site::face_components;
    real out[reals];
    ONEHOP_UNROLL
    for (int c = 0; c < site::face_components; ++c) {
      out[2 * c] = face[c].re.v;
      out[2 * c + 1] = face[c].im.v;
    }
    const std::int64_t sites = padded_sites(job.count);
    store_row<real, reals>(out, static_cast<real*>(job.face) + n * sites * reals, entry);
    return {0, 0};
  }
};

}  // namespace
}  // namespace onehop::device
