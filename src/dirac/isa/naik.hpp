#pragma once
/// Staggered hopping term by one site and by three. All phases are in the links.

#include "dirac/isa/staggered.hpp"

namespace onehop {
namespace {

/// Adds the neighbours of one distance, in the order x+, x-, y+, ...
template <class V>
ONEHOP_INLINE void add_staggered_hops(complex_simd<V>* sum, const hop_job& job,
                                      std::ptrdiff_t vector, int rhs,
                                      const opened_links<V>& links) {
  hop_one<staggered_site, 0>(sum, job, vector, rhs, links.link[0]);
  hop_one<staggered_site, 4>(sum, job, vector, rhs, links.link[4]);
  hop_one<staggered_site, 1>(sum, job, vector, rhs, links.link[1]);
  hop_one<staggered_site, 5>(sum, job, vector, rhs, links.link[5]);
  hop_one<staggered_site, 2>(sum, job, vector, rhs, links.link[2]);
  hop_one<staggered_site, 6>(sum, job, vector, rhs, links.link[6]);
  hop_one<staggered_site, 3>(sum, job, vector, rhs, links.link[3]);
  hop_one<staggered_site, 7>(sum, job, vector, rhs, links.link[7]);
}

template <class V>
void naik_hop(const hop_job& job) {
  hop_job far = job;
  far.links = job.far_links;
  far.neighbours = job.far_neighbours;
  const link_opener<V> opener = choose_opener<V>(job.links);
  for (std::int32_t i = 0; i < job.count; ++i) {
    const std::ptrdiff_t vector = job.vectors[i];
    const opened_links<V> fat(job.links, opener, vector);
    const opened_links<V> naik(far.links, opener, vector);
    for (int rhs = 0; rhs < job.rhs; ++rhs) {
      complex_simd<V> sum[3];
      for (auto& s : sum) s = complex_simd<V>::zero();
      add_staggered_hops(sum, job, vector, rhs, fat);
      add_staggered_hops(sum, far, vector, rhs, naik);
      finish<3>(sum, job, vector, vector * job.rhs + rhs);
    }
  }
}

}  // namespace
}  // namespace onehop
