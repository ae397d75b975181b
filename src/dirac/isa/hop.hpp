#pragma once
/// Wilson's hop fetches the neighbour, multiplies by the link, and sums in the order x+, x-, y+,
/// ..., whatever the lanes, ranks or overlap, so that the bits never differ.

#include "dirac/isa/compressed_link.hpp"
#include "dirac/isa/fetch.hpp"
#include "dirac/isa/finish.hpp"
#include "dirac/isa/halo_prefetch.hpp"
#include "dirac/isa/link_reader.hpp"
#include "dirac/isa/neighbours_links.hpp"
#include "dirac/isa/prefetch.hpp"
#include "dirac/isa/simd.hpp"
#include "dirac/isa/wilson.hpp"
#include "dirac/kernel_table.hpp"

#include <type_traits>

namespace onehop {
namespace {

/// A hop_place is what a hop reads and prefetches at one vector and right-hand side. If links are
/// stored at the neighbours, a face is multiplied in the neighbours' lanes.
template <class Ahead, bool Ghosts, bool NeighboursLanes>
struct hop_place {
  neighbourhood near;
  Ahead ahead;

  template <class Site, int Direction, class V>
  ONEHOP_INLINE void fetch_face(complex_simd<V>* face) const {
    fetch<Site, Direction, Ghosts, NeighboursLanes>(face, near);
  }
  /// Rearranges the product into the lanes of the site, which `fetch_face` has not done.
  template <int Direction, int Count, class V>
  ONEHOP_INLINE void bring_home(complex_simd<V>* product) const {
    if constexpr (NeighboursLanes) {
      if (near.leaves(Direction) && !is_ghost<Direction, Ghosts>(near)) {
        rearrange<Direction, Count>(product, near);
      }
    }
  }
};

/// Adds to the sums, or sets them in the first direction, row by row for all triplets.
template <class Site, int Direction, bool First, class V, class Link, class Place>
ONEHOP_INLINE void hop_one(complex_simd<V>* sum, const Link& link, const Place& at) {
  constexpr bool adjoint = Direction >= 4;
  constexpr int triplets = Site::face_components / 3;
  complex_simd<V> face[Site::face_components];
  at.template fetch_face<Site, Direction>(face);
  at.ahead.template prefetch_spinors<V, Direction, Site::dagger>();
  link.template prepare<adjoint, triplets>(face);
  ONEHOP_UNROLL_ALWAYS
  for (int row = 0; row < 3; ++row) {
    at.ahead.template prefetch_link<Direction, Link>(row);
    complex_simd<V> product[triplets];
    link.template multiply<adjoint, triplets>(product, face, row);
    at.template bring_home<Direction, triplets>(product);
    Site::template accumulate<First>(sum, product, row);
  }
}

/// Does the hop for one triplet of the product.
template <class Spin, int Direction, class V, class Link, class Place>
ONEHOP_INLINE void hop_triplet(complex_simd<V>* product, const Link& link, const Place& at) {
  constexpr bool adjoint = Direction >= 4;
  complex_simd<V> triplet[3];
  at.template fetch_face<Spin, Direction>(triplet);
  // A few lines are prefetched at a time; many at once would delay the core's own loads.
  constexpr bool first = Spin::first_fetched == 0;
  at.ahead.template prefetch_link<Direction, Link>(first ? 0 : 2);
  forget_memory();
  link.template prepare<adjoint, 1>(triplet);
  link.template multiply_triplet<adjoint>(product, triplet);
  at.template bring_home<Direction, 3>(product);
  if constexpr (first) {
    at.ahead.template prefetch_link<Direction, Link>(1);
  } else {
    at.ahead.template prefetch_spinors<V, Direction, Spin::dagger>();
  }
}

/// Adds one spin of the forward and backward products to the sums together, since the sums do not
/// stay in registers.
template <template <int> class Site, int Mu, int A, class V, class Links, class Place>
ONEHOP_INLINE void hop_spin(complex_simd<V>* sum, const Links& links, const Place& at) {
  using forward = one_spin<Site<Mu>, A>;
  using backward = one_spin<Site<Mu + 4>, A>;
  complex_simd<V> ahead[3], behind[3];
  hop_triplet<forward, Mu>(ahead, links[Mu], at);
  hop_triplet<backward, Mu + 4>(behind, links[Mu + 4], at);
  ONEHOP_UNROLL_ALWAYS
  for (int row = 0; row < 3; ++row) {
    forward::template accumulate<Mu == 0>(sum, ahead + row, row);
    backward::template accumulate<false>(sum, behind + row, row);
  }
}

/// Does both directions of an axis, one triplet at a time if registers are few.
template <template <int> class Site, int Mu, class V, class Links, class Place>
ONEHOP_INLINE void hop_along(complex_simd<V>* sum, const Links& links, const Place& at) {
  if constexpr (vector_registers < 32) {
    hop_spin<Site, Mu, 0>(sum, links, at);
    hop_spin<Site, Mu, 1>(sum, links, at);
  } else {
    hop_one<Site<Mu>, Mu, Mu == 0>(sum, links[Mu], at);
    hop_one<Site<Mu + 4>, Mu + 4, false>(sum, links[Mu + 4], at);
  }
}

/// Does all directions, and finishes their sums.
template <template <int> class Site, class V, class Links, class Place>
ONEHOP_INLINE void hop_site(const Place& at, const Links& links, std::ptrdiff_t vector) {
  constexpr int components = Site<0>::components;
  complex_simd<V> sum[components];
  hop_along<Site, 0>(sum, links, at);
  hop_along<Site, 1>(sum, links, at);
  hop_along<Site, 2>(sum, links, at);
  hop_along<Site, 3>(sum, links, at);
  finish<components>(sum, at.near.job, vector, at.near.block(vector));
}

/// made_links is what readers compute in advance from the links of a vector.
template <class V, class Reader>
class made_links {
 public:
  ONEHOP_INLINE made_links(const link_view& links, const std::byte* blocks, std::ptrdiff_t vector) {
    for (int turn = 0; turn < 8; ++turn) {
      Reader::make(made_[turn], blocks + turn * Reader::block_bytes, links.sign(vector, turn));
    }
  }
  ONEHOP_INLINE const typename V::real* operator[](int turn) const { return made_[turn]; }

 private:
  alignas(64) typename V::real made_[8][Reader::made_reals * V::lanes];
};

/// nothing_made is for readers that compute nothing in advance.
struct nothing_made {
  ONEHOP_INLINE nothing_made(const link_view&, const std::byte*, std::ptrdiff_t) {}
  ONEHOP_INLINE std::nullptr_t operator[](int) const { return nullptr; }
};

/// links_in_place are the links of a vector as stored, with what readers compute from them.
template <class V, class Reader>
class links_in_place {
 public:
  struct opening {
    opening(const link_view&, double, bool) {}
  };
  static constexpr bool opened_first = Reader::made_reals > 0;
  static constexpr bool neighbours_lanes = false;

  ONEHOP_INLINE links_in_place(const hop_job& job, opening, std::ptrdiff_t vector)
      : blocks_(job.links.blocks_of(vector)), made_(job.links, blocks_, vector) {}
  ONEHOP_INLINE Reader operator[](int d) const {
    const int turn = turn_of(d);
    return {blocks_ + turn * Reader::block_bytes, made_[turn]};
  }

 private:
  using made = std::conditional_t<opened_first, made_links<V, Reader>, nothing_made>;

  const std::byte* blocks_;
  made made_;
};

template <class Links, bool Ghosts>
using prefetch_for = std::conditional_t<Links::neighbours_lanes, prefetch_at_neighbours<Ghosts>,
                                        prefetch_ahead<Links::opened_first>>;

template <class Site, class V>
constexpr std::ptrdiff_t spinor_bytes(bool half) {
  const field_precision kind = half ? field_precision::half
                               : sizeof(typename V::real) == sizeof(double)
                                   ? field_precision::double_
                                   : field_precision::single;
  return static_cast<std::ptrdiff_t>(block_bytes(kind, 2 * Site::components, V::lanes));
}

template <template <int> class Site, class V, bool Ghosts>
using wilson_halo_prefetch = halo_prefetch<V, 2 * Site<0>::face_components, Ghosts>;

/// Does a hop of one right-hand side, with links read directly from where they are stored.
template <template <int> class Site, class V, bool Half, class Links, bool Ghosts>
void hop_one_rhs(const hop_job& job) {
  using prefetch = prefetch_for<Links, Ghosts>;
  const typename Links::opening opening(job.links, 1.0, true);
  const wilson_halo_prefetch<Site, V, Ghosts> halo(job);
  for (std::int32_t i = 0; i < job.count; ++i) {
    const std::ptrdiff_t vector = job.vectors[i];
    const Links links(job, opening, vector);
    halo.at(job, i, 0);
    const prefetch ahead(job, i, spinor_bytes<Site<0>, V>(Half));
    const neighbourhood near(job, vector, Half, 1, 0);
    hop_site<Site, V>(hop_place<prefetch, Ghosts, Links::neighbours_lanes>{near, ahead}, links,
                      vector);
  }
}

/// Does a hop of all right-hand sides of a vector, whose links are expanded first.
template <template <int> class Site, class V, class Links, bool Ghosts>
void hop_each_rhs(const hop_job& job) {
  const typename Links::opening opening(job.links, 1.0, true);
  const wilson_halo_prefetch<Site, V, Ghosts> halo(job);
  const bool vector_ahead = job.from_memory || opening.opens();
  for (std::int32_t i = 0; i < job.count; ++i) {
    const std::ptrdiff_t vector = job.vectors[i];
    const Links links(job, opening, vector);
    for (int rhs = 0; rhs < job.rhs; ++rhs) {
      halo.at(job, i, rhs);
      prefetch_part(job, i, rhs, job.rhs);
      const prefetch_of_several ahead(job, i, rhs, vector_ahead,
                                      spinor_bytes<Site<0>, V>(job.fixed));
      const neighbourhood near(job, vector, job.fixed, job.rhs, rhs);
      hop_site<Site, V>(hop_place<prefetch_of_several, Ghosts, false>{near, ahead}, links, vector);
    }
  }
}

template <template <int> class Site, class V, bool Half, bool Ghosts>
void choose_hop_of_one_rhs(const hop_job& job) {
  if (job.links.recon == 8) {
    hop_one_rhs<Site, V, Half, links_in_place<V, folded_reader<V, Half>>, Ghosts>(job);
  } else if (job.links.recon == 12) {
    hop_one_rhs<Site, V, Half, links_in_place<V, entry_reader<V, 12, Half>>, Ghosts>(job);
  } else if (Half || job.neighbours_links == nullptr) {
    hop_one_rhs<Site, V, Half, links_in_place<V, entry_reader<V, 18, Half>>, Ghosts>(job);
  } else if constexpr (!Half) {
    using links = links_at_neighbours<entry_reader<V, 18, false>, Ghosts>;
    hop_one_rhs<Site, V, false, links, Ghosts>(job);
  }
}

/// Chooses a kernel specialised for this job if speed matters most, since each is a long function
/// that takes time to compile; otherwise one kernel serves all jobs.
template <template <int> class Site, class V, bool Half>
void choose_hop(const hop_job& job) {
  if constexpr (sizeof(V) == widest_bytes) {
    if (job.rhs == 1) {
      return has_ghosts(job) ? choose_hop_of_one_rhs<Site, V, Half, true>(job)
                             : choose_hop_of_one_rhs<Site, V, Half, false>(job);
    }
    if (job.links.recon != 8 && !has_ghosts(job)) {
      return hop_each_rhs<Site, V, opened_links<V>, false>(job);
    }
  }
  job.links.recon == 8 ? hop_each_rhs<Site, V, opened_links<V, true>, true>(job)
                       : hop_each_rhs<Site, V, opened_links<V>, true>(job);
}

/// 16-bit links are used as integers, and the sums are multiplied by their unit.
template <template <int> class Site, class V, bool Fixed>
void hop(const hop_job& job) {
  if constexpr (Fixed) {
    hop_job in_units = job;
    in_units.hop_scale *= link_unit(job.links);
    choose_hop<Site, V, true>(in_units);
  } else {
    choose_hop<Site, V, false>(job);
  }
}

}  // namespace
}  // namespace onehop
