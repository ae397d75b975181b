// Computes a point-to-all quark propagator and its pion correlator.
#include <onehop/propagator.hpp>

#include <cstdio>

int main() {
  const onehop::context job = onehop::join();
  onehop::gauge_field links(onehop::geometry(job, {4, 4, 4, 8}));
  onehop::set_hot(links, 1);
  for (int sweep = 0; sweep < 5; ++sweep) onehop::heatbath_sweep(links, {.beta = 6.0}, sweep);

  onehop::propagator_solver solver(links,
                                   {.dirac = onehop::wilson{.mass = 0.1}, .tolerance = 1e-12});
  const onehop::propagator quark = onehop::solve_point_propagator(solver);

  if (job.rank() != 0) return 0;
  for (const double value : quark.correlator) std::printf("%.8e\n", value);
  std::printf("converged: %s\n", quark.reports.front().converged ? "yes" : "no");
}
