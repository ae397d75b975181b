#include <onehop/exact_sum.hpp>

#include <onehop/propagator.hpp>

#include <vector>

#include "solver/requirements.hpp"

namespace onehop {

void add_pion_correlator(const geometry& geometry, int components, int t_source,
                         std::span<const std::complex<double>> solution,
                         std::span<double> correlator) {
  require_time_slice(geometry, t_source);
  const int extent = geometry.lattice()[3];
  std::vector<exact_sum> slices(extent);
  for (std::size_t k = 0; k < geometry.local_volume(); ++k) {
    double norm = 0;
    for (int c = 0; c < components; ++c) norm += std::norm(solution[k * components + c]);
    const int t = geometry.global_site(geometry.local_site(k))[3];
    slices[(t - t_source + extent) % extent].add(norm);
  }
  std::vector<double> sums(extent);
  totals(geometry.context(), slices, sums);
  for (int t = 0; t < extent; ++t) correlator[t] += sums[t];
}

}  // namespace onehop
