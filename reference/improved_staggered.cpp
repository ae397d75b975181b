#include "dirac_operator.hpp"
#include "site_walk.hpp"
#include "staggered_phase.hpp"

#include <algorithm>

namespace onehop::reference {
namespace {

gauge_field copy_of(const gauge_field& links) {
  gauge_field copy(links.geometry());
  std::ranges::copy(links.data(), copy.data().begin());
  return copy;
}

ghost_widths ghosts_along(int mu) {
  ghost_widths ghosts{.sides = {4, {0, 0}}};
  ghosts.sides[mu] = {1, 1};
  return ghosts;
}

}  // namespace

improved_staggered::line::line(const geometry& g, int along)
    : mu(along), ahead(g, ghosts_along(along)), behind(ahead.layout()), moved(ahead.layout()) {}

improved_staggered::improved_staggered(const gauge_field& fat, const gauge_field& naik, double mass,
                                       bool antiperiodic, thread_team* team)
    : fat_(copy_of(fat)),
      naik_(copy_of(naik)),
      mass_(mass),
      antiperiodic_(antiperiodic),
      team_(team) {
  for (int mu = 0; mu < 4; ++mu) {
    vectors first(fat.geometry(), ghosts_along(mu));
    ghosts_.emplace_back(first);
  }
}

/// At x what was at x + sign mu; beyond the end of time with the other sign.
void improved_staggered::shift(line& along, vectors& field, int sign) {
  const geometry& g = fat_.geometry();
  ghosts_[along.mu].exchange(field);
  const std::ptrdiff_t step = sign * field.layout().stride(along.mu);
  const int last = sign > 0 ? g.lattice()[3] - 1 : 0;
  for_each_site(g, field.layout(), team_, [&](const walked_site& x) {
    const colour_vector& from = field.data()[x.place + step];
    const bool turns = antiperiodic_ && along.mu == 3 && g.origin()[3] + x.at[3] == last;
    for (int a = 0; a < 3; ++a) along.moved.data()[x.place][a] = turns ? -from[a] : from[a];
  });
  std::swap(field, along.moved);
}

/// out += factor * eta_mu(x) (V(x) chi(x + distance mu) - V^+(x - distance mu) chi(x - distance
/// mu))
void improved_staggered::add_hop(line& along, const gauge_field& links, int distance, double factor,
                                 std::span<const complex> in, std::span<complex> out) {
  const geometry& g = fat_.geometry();
  for_each_site(g, along.ahead.layout(), team_, [&](const walked_site& x) {
    const complex* here = &in[3 * x.number];
    std::copy_n(here, 3, along.ahead.data()[x.place].begin());
    along.behind.data()[x.place] = adjoint_times(links.link(along.mu, x.at), here);
  });
  for (int step = 0; step < distance; ++step) {
    shift(along, along.ahead, 1);
    shift(along, along.behind, -1);
  }
  for_each_site(g, along.ahead.layout(), team_, [&](const walked_site& x) {
    const colour_vector forward =
        times(links.link(along.mu, x.at), along.ahead.data()[x.place].data());
    const colour_vector& backward = along.behind.data()[x.place];
    const double sign = factor * eta(along.mu, g.global_site(x.at));
    for (int a = 0; a < 3; ++a) out[3 * x.number + a] += sign * (forward[a] - backward[a]);
  });
}

void improved_staggered::apply(std::span<const complex> in, std::span<complex> out, bool dagger) {
  std::ranges::transform(in, out.begin(), [&](const complex& chi) { return mass_ * chi; });
  // The hopping term is antihermitian.
  const double half = dagger ? -0.5 : 0.5;
  for (int mu = 0; mu < 4; ++mu) {
    line along(fat_.geometry(), mu);
    add_hop(along, fat_, 1, half, in, out);
    add_hop(along, naik_, 3, half, in, out);
  }
}

}  // namespace onehop::reference
