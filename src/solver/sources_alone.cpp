#include "solver/sources_alone.hpp"

#include "base/environment.hpp"
#include "dirac/hop_footprint.hpp"
#include "dirac/hop_settings.hpp"
#include "dirac/kernels.hpp"
#include "lattice/lane_layout.hpp"

namespace onehop {

// In a shared cache the blocks of clover take the place of links, and the small fields of staggered
// quarks gain more by going together: seen on Zen 4.
bool goes_best_alone(const geometry& geometry, dslash kind, storage numbers, int reals,
                     int threads) {
  const instruction_set& set = choose_instruction_set(environment::read().simd);
  const int lanes = lane_layout::fitting_lanes(geometry, set.widest_lanes(numbers), reach(kind));
  const std::size_t shared =
      kind == dslash::wilson ? shared_cache_of_hops(*set.kernels(numbers, lanes), threads) : 0;
  const dslash hop = hop_of(kind);
  return footprint_of(geometry, hop, numbers, reals, threads)
      .goes_best_alone(can_read_links_once(hop, numbers, reals), shared);
}

}  // namespace onehop
