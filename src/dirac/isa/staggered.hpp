#pragma once
/// This is the staggered hopping term, by one site and, with Naik links, by three. All phases are
/// in the links.

#include "dirac/isa/compressed_link.hpp"
#include "dirac/isa/fetch.hpp"
#include "dirac/isa/finish.hpp"
#include "dirac/isa/halo_prefetch.hpp"
#include "dirac/isa/neighbours_links.hpp"
#include "dirac/isa/prefetch.hpp"
#include "dirac/isa/staggered_site.hpp"

namespace onehop {
namespace {

/// staggered_sums keeps separate sums for neighbours ahead and behind: every product is then one
/// fused multiply-add, in enough chains to keep two units busy.
template <class V>
struct staggered_sums {
  complex_simd<V> ahead[3], behind[3];

  ONEHOP_INLINE staggered_sums() {
    for (int c = 0; c < 3; ++c) ahead[c] = behind[c] = complex_simd<V>::zero();
  }
  ONEHOP_INLINE void total(complex_simd<V>* sum) const {
    for (int c = 0; c < 3; ++c) sum[c] = add_phase<phase::minus_one>(ahead[c], behind[c]);
  }
};

/// A rearranged_link has the entries of a neighbour's link, moved to the lanes of the site.
template <class Link, class V>
struct rearranged_link {
  const Link& link;
  const std::int32_t* lanes;

  ONEHOP_INLINE complex_simd<V> operator()(int entry) const {
    const complex_simd<V> u = link(entry);
    return {shuffle(u.re, u.re, lanes), shuffle(u.im, u.im, lanes)};
  }
};

template <int Direction, class V, class Link>
ONEHOP_INLINE void add_product(staggered_sums<V>& sums, const complex_simd<V>* chi,
                               const Link& link, const std::byte* later) {
  // For 16-bit links these are the lines of two vectors, because prefetching that far ahead is
  // better there.
  constexpr int third = lines_of<V>(6);
  for (int column = 0; column < 3; ++column) {
    if (later != nullptr) {
      prefetch<third, cache::own>(later + (3 * turn_of(Direction) + column) * third * line_bytes);
    }
    for (int row = 0; row < 3; ++row) {
      if constexpr (Direction < 4) {
        const complex_simd<V> u = held(link(3 * row + column));
        sums.ahead[row] = multiply_add(sums.ahead[row], u, chi[column]);
      } else {
        const complex_simd<V> u = held(link(3 * column + row));
        sums.behind[row] = conjugate_multiply_add(sums.behind[row], u, chi[column]);
      }
    }
  }
}

template <int Direction, bool Ghosts, class V, class Links>
ONEHOP_INLINE void add_hop(staggered_sums<V>& sums, const neighbourhood& near, const Links& links,
                           const std::byte* later) {
  complex_simd<V> chi[3];
  fetch<staggered_site<Direction>, Direction, Ghosts>(chi, near);
  const auto link = links[Direction];
  if constexpr (Links::neighbours_lanes) {
    if (near.leaves(Direction) && !is_ghost<Direction, Ghosts>(near)) {
      // The link is rearranged, not the product as in Wilson's hop, which would have to be added to
      // the sums as a whole.
      using rearranged = rearranged_link<decltype(link), V>;
      return add_product<Direction>(sums, chi, rearranged{link, near.job.shuffles[Direction]},
                                    later);
    }
  }
  add_product<Direction>(sums, chi, link, later);
}

/// Adds the neighbours at one distance, in the order x+, x-, y+, ... Prefetches the links `later`,
/// if any.
template <bool Ghosts, class V, class Links>
ONEHOP_INLINE void add_hops(staggered_sums<V>& sums, const hop_job& job, std::ptrdiff_t vector,
                            int rhs, const Links& links, const std::byte* later) {
  const neighbourhood near(job, vector, job.fixed, job.rhs, rhs);
  add_hop<0, Ghosts>(sums, near, links, later);
  add_hop<4, Ghosts>(sums, near, links, later);
  add_hop<1, Ghosts>(sums, near, links, later);
  add_hop<5, Ghosts>(sums, near, links, later);
  add_hop<2, Ghosts>(sums, near, links, later);
  add_hop<6, Ghosts>(sums, near, links, later);
  add_hop<3, Ghosts>(sums, near, links, later);
  add_hop<7, Ghosts>(sums, near, links, later);
}

/// These are links of 18 reals as stored at neighbours. They also serve vectors of half the width,
/// the widest that three-site hops allow on small lattices.
template <class V, bool Ghosts>
using staggered_links_at_neighbours = links_at_neighbours<entry_reader<V, 18, false>, Ghosts>;

template <class V, bool Ghosts>
using staggered_halo_prefetch = halo_prefetch<V, 2 * staggered_site<0>::face_components, Ghosts>;

template <class V, class Links, bool Ghosts, bool Ahead>
void staggered_vectors(const hop_job& job) {
  const typename Links::opening opening(job.links, link_unit(job.links), false);
  const staggered_halo_prefetch<V, Ghosts> halo(job);
  for (std::int32_t i = 0; i < job.count; ++i) {
    const std::ptrdiff_t vector = job.vectors[i];
    const std::byte* next = job.links.blocks_of(vector_after(job, i));
    const Links links(job, opening, vector);
    for (int rhs = 0; rhs < job.rhs; ++rhs) {
      halo.at(job, i, rhs);
      staggered_sums<V> sums;
      add_hops<Ghosts>(sums, job, vector, rhs, links, Ahead && rhs == 0 ? next : nullptr);
      complex_simd<V> sum[3];
      sums.total(sum);
      finish<3>(sum, job, vector, vector * job.rhs + rhs);
    }
  }
}

/// Links are prefetched only if all links of a vector are opened at once, since the hardware
/// prefetcher keeps ahead of a single stream of links.
template <class V, bool Ghosts>
void choose_staggered(const hop_job& job) {
  if constexpr (2 * sizeof(V) >= widest_bytes) {
    if (job.neighbours_links != nullptr) {
      using links = staggered_links_at_neighbours<V, Ghosts>;
      return staggered_vectors<V, links, Ghosts, false>(job);
    }
  }
  if (job.from_memory && job.links.fixed) {
    staggered_vectors<V, opened_links<V>, Ghosts, true>(job);
  } else {
    staggered_vectors<V, opened_links<V>, Ghosts, false>(job);
  }
}

template <class V>
void staggered_hop(const hop_job& job) {
  if constexpr (sizeof(V) == widest_bytes) {
    if (!has_ghosts(job)) return choose_staggered<V, false>(job);
  }
  choose_staggered<V, true>(job);
}

template <class V, class Links, bool Ghosts>
void naik_vectors(const hop_job& job) {
  hop_job far = job;
  far.links = job.far_links;
  far.neighbours_links = job.neighbours_far_links;
  far.neighbours = job.far_neighbours;
  far.edges = job.far_edges;
  const staggered_halo_prefetch<V, Ghosts> halo(job);
  const staggered_halo_prefetch<V, Ghosts> far_halo(far);
  const typename Links::opening opening(job.links, link_unit(job.links), false);
  const typename Links::opening far_opening(far.links, link_unit(far.links), false);
  for (std::int32_t i = 0; i < job.count; ++i) {
    const std::ptrdiff_t vector = job.vectors[i];
    const std::ptrdiff_t next = vector_after(job, i);
    const Links fat(job, opening, vector);
    const Links naik(far, far_opening, vector);
    for (int rhs = 0; rhs < job.rhs; ++rhs) {
      // With two streams of links the hardware prefetcher falls behind, so software prefetches
      // them.
      const bool prefetches = !Links::neighbours_lanes && rhs == 0 && job.from_memory;
      halo.at(job, i, rhs);
      far_halo.at(far, i, rhs);
      staggered_sums<V> sums;
      add_hops<Ghosts>(sums, job, vector, rhs, fat,
                       prefetches ? job.links.blocks_of(next) : nullptr);
      add_hops<Ghosts>(sums, far, vector, rhs, naik,
                       prefetches ? far.links.blocks_of(next) : nullptr);
      complex_simd<V> sum[3];
      sums.total(sum);
      finish<3>(sum, job, vector, vector * job.rhs + rhs);
    }
  }
}

template <class V, bool Ghosts>
void choose_naik(const hop_job& job) {
  if constexpr (2 * sizeof(V) >= widest_bytes) {
    if (job.neighbours_links != nullptr) {
      return naik_vectors<V, staggered_links_at_neighbours<V, Ghosts>, Ghosts>(job);
    }
  }
  naik_vectors<V, opened_links<V>, Ghosts>(job);
}

template <class V>
void naik_hop(const hop_job& job) {
  if constexpr (sizeof(V) == widest_bytes) {
    if (!has_ghosts(job)) return choose_naik<V, false>(job);
  }
  choose_naik<V, true>(job);
}

}  // namespace
}  // namespace onehop
