#include "dirac_operator.hpp"
#include "gamma.hpp"
#include "links.hpp"

#include <algorithm>

namespace onehop::reference {
namespace {

/// sum += -1/2 (1 + sign gamma_mu) U psi, or with U^+.
void add_hop(spinor& sum, int mu, double sign, const colour_matrix& u, bool adjoint,
             const spinor& psi) {
  spinor moved{};
  for (int r = 0; r < 4; ++r) {
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        const complex link = adjoint ? std::conj(u[3 * b + a]) : u[3 * a + b];
        moved[3 * r + a] += link * psi[3 * r + b];
      }
    }
  }
  for (int s = 0; s < 4; ++s) {
    for (int r = 0; r < 4; ++r) {
      const complex projector = (s == r ? 1.0 : 0.0) + sign * gamma(mu)[s][r];
      if (projector == 0.0) continue;
      for (int a = 0; a < 3; ++a) sum[3 * s + a] -= 0.5 * projector * moved[3 * r + a];
    }
  }
}

coordinate shifted(coordinate site, int mu, int by) {
  site[mu] += by;
  return site;
}

}  // namespace

wilson::wilson(const gauge_field& links, double mass, bool antiperiodic, double mu)
    : links_(fermion_links(links, antiperiodic)), mass_(mass), mu_(mu), psi_(links.geometry()) {}

void wilson::apply(std::span<const complex> in, std::span<complex> out, bool dagger) {
  const geometry& g = links_.geometry();
  for (std::size_t k = 0; k < g.local_volume(); ++k) {
    std::copy_n(in.begin() + 12 * k, 12, psi_[g.local_site(k)].begin());
  }
  psi_.exchange();
  // gamma_mu is hermitian, so the dagger only turns the signs of the projectors.
  const double forward = dagger ? 1.0 : -1.0;
  for (std::size_t k = 0; k < g.local_volume(); ++k) {
    const coordinate x = g.local_site(k);
    spinor sum = psi_[x];
    for (int c = 0; c < 12; ++c) {
      sum[c] *= complex(4.0 + mass_, (dagger ? -mu_ : mu_) * gamma5(c / 3));
    }
    for (int mu = 0; mu < 4; ++mu) {
      const coordinate behind = shifted(x, mu, -1);
      add_hop(sum, mu, forward, links_.link(mu, x), false, psi_[shifted(x, mu, 1)]);
      add_hop(sum, mu, -forward, links_.link(mu, behind), true, psi_[behind]);
    }
    std::ranges::copy(sum, out.begin() + 12 * k);
  }
}

}  // namespace onehop::reference
