#include "dirac_operator.hpp"

#include <algorithm>

#include "staggered_phase.hpp"

namespace onehop::reference {
namespace {

gauge_field copy_of(const gauge_field& links) {
  gauge_field copy(links.geometry());
  std::ranges::copy(links.data(), copy.data().begin());
  return copy;
}

}  // namespace

improved_staggered::improved_staggered(const gauge_field& fat, const gauge_field& naik, double mass,
                                       bool antiperiodic)
    : fat_(copy_of(fat)), naik_(copy_of(naik)), mass_(mass), antiperiodic_(antiperiodic) {}

/// At x what `field` has at x + sign mu; beyond the end of time with the other sign.
improved_staggered::vectors improved_staggered::shifted(vectors field, int mu, int sign) const {
  const geometry& g = fat_.geometry();
  field.exchange();
  vectors result(field.ghosts());
  for (std::size_t k = 0; k < g.local_volume(); ++k) {
    const coordinate x = g.local_site(k);
    coordinate from = x;
    from[mu] += sign;
    result[x] = field[from];
    const int t = g.global_site(x)[3] + sign;
    if (antiperiodic_ && mu == 3 && (t < 0 || t >= g.lattice()[3])) {
      for (complex& component : result[x]) component = -component;
    }
  }
  return result;
}

/// out += factor * eta_mu(x) (V(x) chi(x + distance mu) - V^+(x - distance mu) chi(x - distance
/// mu))
void improved_staggered::add_hop(const gauge_field& links, int mu, int distance, const vectors& chi,
                                 double factor, std::span<complex> out) const {
  const geometry& g = fat_.geometry();
  vectors ahead = chi;
  vectors behind = chi;
  for (std::size_t k = 0; k < g.local_volume(); ++k) {
    const coordinate x = g.local_site(k);
    behind[x] = adjoint_times(links.link(mu, x), chi[x]);
  }
  for (int step = 0; step < distance; ++step) {
    ahead = shifted(ahead, mu, 1);
    behind = shifted(behind, mu, -1);
  }
  for (std::size_t k = 0; k < g.local_volume(); ++k) {
    const coordinate x = g.local_site(k);
    const colour_vector forward = times(links.link(mu, x), ahead[x]);
    const double sign = factor * eta(mu, g.global_site(x));
    for (int a = 0; a < 3; ++a) out[3 * k + a] += sign * (forward[a] - behind[x][a]);
  }
}

void improved_staggered::apply(std::span<const complex> in, std::span<complex> out, bool dagger) {
  const geometry& g = fat_.geometry();
  vectors chi(g);
  for (std::size_t k = 0; k < g.local_volume(); ++k) {
    std::copy_n(in.begin() + 3 * k, 3, chi[g.local_site(k)].begin());
    for (int a = 0; a < 3; ++a) out[3 * k + a] = mass_ * in[3 * k + a];
  }
  // The hopping term is antihermitian.
  const double half = dagger ? -0.5 : 0.5;
  for (int mu = 0; mu < 4; ++mu) {
    add_hop(fat_, mu, 1, chi, half, out);
    add_hop(naik_, mu, 3, chi, half, out);
  }
}

}  // namespace onehop::reference
