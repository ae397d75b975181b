#pragma once
/// Wilson's hop: fetch the neighbour, multiply by the link, add up in the order x+, x-, y+, ...
/// whatever the lanes, ranks or overlap, so that the bits never differ.

#include "dirac/isa/compressed_link.hpp"
#include "dirac/isa/fetch.hpp"
#include "dirac/isa/finish.hpp"
#include "dirac/isa/halo_ahead.hpp"
#include "dirac/isa/link_reader.hpp"
#include "dirac/isa/read_ahead.hpp"
#include "dirac/isa/simd.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

/// Adds to the sums, or as the first sets them.
template <template <int> class Site, int Direction, bool First, class V, class Link, class Halo>
ONEHOP_INLINE void hop_one(complex_simd<V>* sum, const hop_job& job, bool fixed,
                           std::ptrdiff_t vector, int rhs, const Link& link,
                           const read_ahead& ahead, const Halo& halo) {
  using site = Site<Direction>;
  constexpr bool adjoint = Direction >= 4;
  constexpr int triplets = site::face_components / 3;
  constexpr int spinor_lines = lines_of<V>(site::components / 4);
  complex_simd<V> face[site::face_components];
  fetch<site, Direction>(face, job, fixed, job.neighbours[vector * 8 + Direction], rhs);
  halo.template ask<Direction>();
  ask_for<spinor_lines>(ahead.spinor + turn_of(Direction) * spinor_lines * line_bytes);
  link.template prepare<adjoint, triplets>(face);
  ONEHOP_UNROLL_ALWAYS
  for (int row = 0; row < 3; ++row) {
    ask_for<Link::lines_a_row>(ahead.link[Direction] + row * Link::lines_a_row * line_bytes);
    complex_simd<V> product[triplets];
    link.template multiply<adjoint, triplets>(product, face, row);
    site::template accumulate<First>(sum, product, row);
  }
}

/// The links of a vector where they are stored, and what is made of them.
template <class V, class Reader>
class links_in_place {
 public:
  struct opening {
    opening(const link_view&, double, bool) {}
    static constexpr bool opens() { return false; }
  };

  ONEHOP_INLINE links_in_place(const link_view& links, opening, std::ptrdiff_t vector) {
    const link_place* places = links.places + vector * 8;
    for (int d = 0; d < 8; ++d) {
      block_[d] = links.block(places[d]);
      if constexpr (made) Reader::make(made_[d], block_[d], links.signs[places[d].sign]);
    }
  }
  ONEHOP_INLINE Reader operator[](int d) const { return {block_[d], made_[made ? d : 0]}; }

 private:
  static constexpr bool made = Reader::made_reals > 0;

  const std::byte* block_[8];
  alignas(64) typename V::real made_[made ? 8 : 1][made ? Reader::made_reals * V::lanes : 1];
};

/// Whether fields are storage::fixed16, where it is known beforehand.
enum class numbers { reals, fixed, asked };

template <template <int> class Site, class V, numbers Numbers, class Links, class Asker,
          bool Several>
void hop_and_ask(const hop_job& job) {
  constexpr int components = Site<0>::components;
  const bool fixed = Numbers == numbers::asked ? job.fixed : Numbers == numbers::fixed;
  const auto spinor_bytes =
      static_cast<std::ptrdiff_t>(block_bytes(fixed                           ? storage::fixed16
                                              : sizeof(typename V::real) == 8 ? storage::real64
                                                                              : storage::real32,
                                              2 * components, V::lanes));
  const typename Links::opening opening(job.links, 1.0, true);
  const Asker asker(job);
  const bool vector_ahead = job.from_memory || opening.opens();
  for (std::int32_t i = 0; i < job.count; ++i) {
    const std::ptrdiff_t vector = job.vectors[i];
    const Links links(job.links, opening, vector);
    const read_ahead as_only = look_ahead<V>(job, i, vector_ahead, spinor_bytes);
    read_ahead ahead = as_only;
    auto halo = asker.at(job, i);
    for (int rhs = 0; rhs < (Several ? job.rhs : 1); ++rhs) {
      if (Several && job.rhs > 1) {
        look_past(ahead, as_only.link, job, vector, rhs, spinor_bytes);
      }
      complex_simd<V> sum[components];
      hop_one<Site, 0, true>(sum, job, fixed, vector, rhs, links[0], ahead, halo);
      hop_one<Site, 4, false>(sum, job, fixed, vector, rhs, links[4], ahead, halo);
      hop_one<Site, 1, false>(sum, job, fixed, vector, rhs, links[1], ahead, halo);
      hop_one<Site, 5, false>(sum, job, fixed, vector, rhs, links[5], ahead, halo);
      hop_one<Site, 2, false>(sum, job, fixed, vector, rhs, links[2], ahead, halo);
      hop_one<Site, 6, false>(sum, job, fixed, vector, rhs, links[6], ahead, halo);
      hop_one<Site, 3, false>(sum, job, fixed, vector, rhs, links[3], ahead, halo);
      hop_one<Site, 7, false>(sum, job, fixed, vector, rhs, links[7], ahead, halo);
      finish<components>(sum, job, vector, vector * job.rhs + rhs);
      ahead.spinor += spinor_bytes;
      halo.advance();
    }
  }
}

/// A kernel made for what the job is where speed matters most, for each is a long function and
/// takes its time to compile; one that serves all jobs elsewhere.
template <template <int> class Site, class V, numbers Numbers>
void choose_hop(const hop_job& job) {
  if constexpr (sizeof(V) == widest_bytes) {
    constexpr bool fixed = Numbers == numbers::fixed;
    if (job.rhs == 1 && !meets_halo(job)) {
      switch (job.links.reals) {
        case 18:
          return hop_and_ask<Site, V, Numbers, links_in_place<V, entry_reader<V, 18, fixed>>,
                             no_halo, false>(job);
        case 12:
          return hop_and_ask<Site, V, Numbers, links_in_place<V, entry_reader<V, 12, fixed>>,
                             no_halo, false>(job);
        default:
          return hop_and_ask<Site, V, Numbers, links_in_place<V, folded_reader<V, fixed>>, no_halo,
                             false>(job);
      }
    }
    if (job.links.reals != 8 && !meets_halo(job)) {
      return hop_and_ask<Site, V, numbers::asked, opened_links<V>, no_halo, true>(job);
    }
  }
  using asker = halo_asker<V, 2 * Site<0>::face_components>;
  job.links.reals == 8
      ? hop_and_ask<Site, V, numbers::asked, opened_links<V, true>, asker, true>(job)
      : hop_and_ask<Site, V, numbers::asked, opened_links<V>, asker, true>(job);
}

/// Sixteen-bit links are multiplied with as whole numbers, and the sums with their unit.
template <template <int> class Site, class V, bool Fixed>
void hop(const hop_job& job) {
  if constexpr (Fixed) {
    hop_job in_units = job;
    in_units.hop_scale *= link_unit(job.links);
    choose_hop<Site, V, numbers::fixed>(in_units);
  } else {
    choose_hop<Site, V, numbers::reals>(job);
  }
}

}  // namespace
}  // namespace onehop
