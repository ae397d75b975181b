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

}  // namespace

improved_staggered::improved_staggered(const gauge_field& fat, const gauge_field& naik, double mass,
                                       bool antiperiodic, thread_team* team)
    : fat_(copy_of(fat)),
      naik_(copy_of(naik)),
      mass_(mass),
      antiperiodic_(antiperiodic),
      chi_(fat.geometry()),
      ahead_(chi_.ghosts()),
      behind_(chi_.ghosts()),
      moved_(chi_.ghosts()),
      team_(team) {}

/// At x what was at x + sign mu; beyond the end of time with the other sign.
void improved_staggered::shift(vectors& field, int mu, int sign) {
  const geometry& g = fat_.geometry();
  field.exchange(mu);
  const std::ptrdiff_t step = sign * field.shape().stride(mu);
  const int last = sign > 0 ? g.lattice()[3] - 1 : 0;
  for_each_site(g, field.shape(), team_, [&](const walked_site& x) {
    const colour_vector& from = field.data()[x.place + step];
    const bool turns = antiperiodic_ && mu == 3 && g.origin()[3] + x.at[3] == last;
    for (int a = 0; a < 3; ++a) moved_.data()[x.place][a] = turns ? -from[a] : from[a];
  });
  std::swap(field, moved_);
}

/// out += factor * eta_mu(x) (V(x) chi(x + distance mu) - V^+(x - distance mu) chi(x - distance
/// mu))
void improved_staggered::add_hop(const gauge_field& links, int mu, int distance, double factor,
                                 std::span<complex> out) {
  const geometry& g = fat_.geometry();
  const padded_shape& shape = chi_.shape();
  const colour_matrix* v = &links.data()[mu * shape.volume()];
  for_each_site(g, shape, team_, [&](const walked_site& x) {
    const colour_vector& here = chi_.data()[x.place];
    ahead_.data()[x.place] = here;
    behind_.data()[x.place] = adjoint_times(v[x.place], here.data());
  });
  for (int step = 0; step < distance; ++step) {
    shift(ahead_, mu, 1);
    shift(behind_, mu, -1);
  }
  for_each_site(g, shape, team_, [&](const walked_site& x) {
    const colour_vector forward = times(v[x.place], ahead_.data()[x.place].data());
    const colour_vector& backward = behind_.data()[x.place];
    const double sign = factor * eta(mu, g.global_site(x.at));
    for (int a = 0; a < 3; ++a) out[3 * x.number + a] += sign * (forward[a] - backward[a]);
  });
}

void improved_staggered::apply(std::span<const complex> in, std::span<complex> out, bool dagger) {
  for_each_site(fat_.geometry(), chi_.shape(), team_, [&](const walked_site& x) {
    for (int a = 0; a < 3; ++a) {
      chi_.data()[x.place][a] = in[3 * x.number + a];
      out[3 * x.number + a] = mass_ * in[3 * x.number + a];
    }
  });
  // The hopping term is antihermitian.
  const double half = dagger ? -0.5 : 0.5;
  for (int mu = 0; mu < 4; ++mu) {
    add_hop(fat_, mu, 1, half, out);
    add_hop(naik_, mu, 3, half, out);
  }
}

}  // namespace onehop::reference
