#include "dirac_operator.hpp"
#include "links.hpp"
#include "staggered_phase.hpp"

#include <algorithm>

namespace onehop::reference {

staggered::staggered(const gauge_field& links, double mass, bool antiperiodic)
    : links_(fermion_links(links, antiperiodic)), mass_(mass), chi_(links.geometry()) {}

void staggered::apply(std::span<const complex> in, std::span<complex> out, bool dagger) {
  const geometry& g = links_.geometry();
  for (std::size_t k = 0; k < g.local_volume(); ++k) {
    std::copy_n(in.begin() + 3 * k, 3, chi_[g.local_site(k)].begin());
  }
  chi_.exchange();
  // The hopping term is antihermitian.
  const double half = dagger ? -0.5 : 0.5;
  for (std::size_t k = 0; k < g.local_volume(); ++k) {
    const coordinate x = g.local_site(k);
    for (int a = 0; a < 3; ++a) out[3 * k + a] = mass_ * chi_[x][a];
    for (int mu = 0; mu < 4; ++mu) {
      coordinate ahead = x;
      coordinate behind = x;
      ++ahead[mu];
      --behind[mu];
      const colour_vector forward = times(links_.link(mu, x), chi_[ahead]);
      const colour_vector backward = adjoint_times(links_.link(mu, behind), chi_[behind]);
      const double sign = half * eta(mu, g.global_site(x));
      for (int a = 0; a < 3; ++a) out[3 * k + a] += sign * (forward[a] - backward[a]);
    }
  }
}

}  // namespace onehop::reference
