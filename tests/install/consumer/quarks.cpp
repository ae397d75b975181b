#include <onehop/collectives.hpp>
#include <onehop/halo_exchange.hpp>
#include <onehop/propagator.hpp>
#include <onehop/put_chain.hpp>

#include <cstdio>

int main() {
  const onehop::context job = onehop::join();
  const auto window = onehop::window::allocate(job, 64);
  onehop::put_chain chain(job, window);
  chain.commit();

  const onehop::cartesian ranks(job, {4, 4});
  onehop::halo_field<double> field(ranks, {.width = 1});
  onehop::halo_exchange halo(field);
  halo.start();
  halo.wait();

  onehop::gauge_field links(onehop::geometry(job, {4, 4, 4, 4}));
  onehop::set_cold(links);
  links.exchange_ghosts();
  onehop::propagator_solver solver(links, {.dirac = onehop::wilson{.mass = 1.0}});
  const auto quark = onehop::solve_point_propagator(solver);
  double slices[]{static_cast<double>(quark.correlator.size())};
  onehop::allreduce_sum(job, slices);
  if (job.rank() == 0) std::printf("%g time slices\n", slices[0]);
}
