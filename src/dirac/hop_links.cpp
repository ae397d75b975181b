#include "dirac/hop_links.hpp"

#include <utility>

namespace onehop {
namespace {

std::optional<improved_links> made_of(const gauge_field& thin, const dirac_operator& dirac) {
  if (const auto* of = std::get_if<asqtad>(&dirac)) return make_asqtad_links(thin, of->u0);
  if (const auto* of = std::get_if<hisq>(&dirac)) return make_hisq_links(thin, of->naik_epsilon);
  return std::nullopt;
}

/// Returns at x the links of x-3mu, passed on one site at a time, since ghosts are one site deep.
gauge_field three_sites_on(const gauge_field& links) {
  const geometry& g = links.geometry();
  std::optional<gauge_field> moved;
  for (int step = 0; step < 3; ++step) {
    const gauge_field& from = moved ? *moved : links;
    gauge_field to(g);
    for (std::size_t k = 0; k < g.local_volume(); ++k) {
      const coordinate x = g.local_site(k);
      for (int mu = 0; mu < 4; ++mu) {
        coordinate behind = x;
        --behind[mu];
        to.link(mu, x) = from.link(mu, behind);
      }
    }
    to.exchange_ghosts();
    moved = std::move(to);
  }
  return std::move(*moved);
}

}  // namespace

hop_links::hop_links(const gauge_field& thin, const dirac_operator& dirac)
    : thin_(&thin), made_(made_of(thin, dirac)) {
  if (made_) behind_ = three_sites_on(made_->naik);
}

const colour_matrix& hop_links::link(int mu, const coordinate& x, bool backward,
                                     int distance) const {
  if (distance == 3) return (backward ? *behind_ : made_->naik).link(mu, x);
  coordinate site = x;
  if (backward) --site[mu];
  return near().link(mu, site);
}

}  // namespace onehop
