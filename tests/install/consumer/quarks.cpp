#include <onehop/propagator.hpp>

#include <cstdio>

int main() {
  onehop::gauge_field links(onehop::geometry(onehop::join(), {4, 4, 4, 4}));
  onehop::set_cold(links);
  links.exchange_ghosts();
  onehop::propagator_solver solver(links, {.dirac = onehop::wilson{.mass = 1.0}});
  const auto quark = onehop::solve_point_propagator(solver);
  std::printf("%zu time slices\n", quark.correlator.size());
}
