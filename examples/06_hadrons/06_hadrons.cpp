// Computes the correlators of pion and proton on one configuration.
#include <onehop/baryon.hpp>
#include <onehop/meson.hpp>
#include <onehop/propagator.hpp>

#include <cmath>
#include <cstdio>

int main() {
  const onehop::context job = onehop::join();
  onehop::gauge_field links(onehop::geometry(job, {4, 4, 4, 8}));
  onehop::set_hot(links, 1);
  for (int sweep = 0; sweep < 5; ++sweep) onehop::heatbath_sweep(links, {.beta = 6.0}, sweep);

  onehop::propagator_solver solver(links,
                                   {.dirac = onehop::wilson{.mass = 0.1}, .tolerance = 1e-12});
  const onehop::coordinate origin{0, 0, 0, 0};
  const auto quark = onehop::solve_point_propagator(solver, origin).data;
  const onehop::momentum rest[] = {{0, 0, 0}};
  const auto& lattice = links.geometry();
  const auto mesons = onehop::meson_correlators(lattice, origin, quark, quark, rest);
  const auto baryons = onehop::baryon_correlators(lattice, origin, onehop::boundary::antiperiodic,
                                                  quark, quark, rest);

  if (job.rank() != 0) return 0;
  const auto* pion = &mesons[15 * 8];  // gamma_5 is structure 15
  const auto* proton = baryons.data();
  for (int t = 1; t < 4; ++t) std::printf("%d  %.8e  %.8e\n", t, pion[t].real(), proton[t].real());
  const double ratio = (pion[2].real() + pion[4].real()) / (2 * pion[3].real());
  std::printf("pion   %.6f\n", std::acosh(ratio));
  std::printf("proton %.6f\n", std::log(proton[2].real() / proton[3].real()));
}
