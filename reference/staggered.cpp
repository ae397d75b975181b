#include "dirac_operator.hpp"
#include "links.hpp"
#include "site_walk.hpp"
#include "staggered_phase.hpp"

#include <algorithm>

namespace onehop::reference {

staggered::staggered(const gauge_field& links, double mass, bool antiperiodic, thread_team* team)
    : links_(fermion_links(links, antiperiodic)),
      mass_(mass),
      chi_(links.geometry(), {.width = 1}),
      ghosts_(chi_),
      team_(team) {}

void staggered::apply(std::span<const complex> in, std::span<complex> out, bool dagger) {
  const geometry& g = links_.geometry();
  const halo_layout& layout = chi_.layout();
  const std::span<colour_vector> chi = chi_.data();
  for_each_site(g, layout, team_, [&](const walked_site& x) {
    std::copy_n(in.begin() + 3 * x.number, 3, chi[x.place].begin());
  });
  ghosts_.exchange(chi_);
  // The hopping term is antihermitian.
  const double half = dagger ? -0.5 : 0.5;
  for_each_site(g, layout, team_, [&](const walked_site& x) {
    const coordinate global = g.global_site(x.at);
    for (int a = 0; a < 3; ++a) out[3 * x.number + a] = mass_ * chi[x.place][a];
    for (int mu = 0; mu < 4; ++mu) {
      const colour_matrix* u = &links_.data()[mu * layout.volume()];
      const std::size_t ahead = x.place + layout.stride(mu), behind = x.place - layout.stride(mu);
      const colour_vector forward = times(u[x.place], chi[ahead].data());
      const colour_vector backward = adjoint_times(u[behind], chi[behind].data());
      const double sign = half * eta(mu, global);
      for (int a = 0; a < 3; ++a) out[3 * x.number + a] += sign * (forward[a] - backward[a]);
    }
  });
}

}  // namespace onehop::reference
