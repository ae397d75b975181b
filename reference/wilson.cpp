#include "dirac_operator.hpp"
#include "links.hpp"
#include "site_walk.hpp"

namespace onehop::reference {

wilson::wilson(const gauge_field& links, double mass, bool antiperiodic, double mu,
               thread_team* team)
    : links_(fermion_links(links, antiperiodic)),
      mass_(mass),
      mu_(mu),
      psi_(links.geometry(), {.width = 1}),
      ghosts_(psi_),
      team_(team) {}

void wilson::apply(std::span<const complex> in, std::span<complex> out, bool dagger) {
  const geometry& g = links_.geometry();
  const halo_layout& layout = psi_.layout();
  const std::span<spin_lanes> psi = psi_.data();
  for_each_site(g, layout, team_,
                [&](const walked_site& x) { psi[x.place].load(&in[12 * x.number]); });
  ghosts_.exchange(psi_);
  // gamma_mu is hermitian, so the dagger only turns the signs of the projectors.
  const double ahead_sign = dagger ? 1.0 : -1.0;
  std::vector<spin_rows> ahead_rows, behind_rows;
  for (int mu = 0; mu < 4; ++mu) {
    ahead_rows.emplace_back(gamma(mu), ahead_sign);
    behind_rows.emplace_back(gamma(mu), -ahead_sign);
  }
  const std::span<const colour_matrix> links = links_.data();
  const spin_rows diagonal = diagonal_rows(complex(4.0 + mass_, dagger ? -mu_ : mu_));
  const auto visit = [&](const walked_site& x) __attribute__((always_inline)) {
    spin_lanes hops{}, moved, sum{};
    for (int mu = 0; mu < 4; ++mu) {
      const colour_matrix* u = &links[mu * layout.volume()];
      const std::size_t ahead = x.place + layout.stride(mu), behind = x.place - layout.stride(mu);
      turn_colour(moved, u[x.place], false, psi[ahead]);
      add(hops, 1.0, moved);
      add_turned_spin(hops, ahead_rows[mu], moved);
      turn_colour(moved, u[behind], true, psi[behind]);
      add(hops, 1.0, moved);
      add_turned_spin(hops, behind_rows[mu], moved);
    }
    add_turned_spin(sum, diagonal, psi[x.place]);
    add(sum, -0.5, hops);
    sum.store(&out[12 * x.number]);
  };
  share_out(team_, g.local_volume(), [&](std::size_t first, std::size_t last) {
    run_by_vectors([&]() __attribute__((always_inline)) { walk(g, layout, first, last, visit); });
  });
}

}  // namespace onehop::reference
