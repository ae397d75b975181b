// This file is built once for each instruction set, which ONEHOP_APP_ISA names.
#include "row_kernels.hpp"

#include "collision_lanes.hpp"
#include "mixture_lanes.hpp"
#include "phase_field_lanes.hpp"

#include <common/instruction_sets.hpp>

#include <cstddef>
#include <utility>

namespace lattice_boltzmann::ONEHOP_APP_ISA {
namespace {

template <bool Forced, int W, class Real>
LATTICE_BOLTZMANN_INLINE void collide_cells(const row_pointers<Real>& at, int x,
                                            const collision<Real>& how) {
  using vector = lanes<Real, W>;
  prefetch<512>(at, x);
  const cell_sums<Real, W> f(at, x);
  std::array<vector, 3> j = f.momentum;
  if constexpr (Forced)
    for (std::size_t mu = 0; mu < 3; ++mu) j[mu] = j[mu] + how.half_force[mu];
  const vector inverse = Real{1} / (Real{1} + f.excess);
  const vector square = Real{1.5} * (j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) * inverse;
  vector base = how.even_rate * (f.excess - square);
  if constexpr (Forced)
    base = base - (j[0] * how.drag[0] + j[1] * how.drag[1] + j[2] * how.drag[2]) * inverse;
  store<Real, W>(at[0] + x, how.even_kept * f.rest + static_cast<Real>(1.0 / 3) * base);
  constexpr auto all = std::make_index_sequence<pairs>();
  if constexpr (Forced)
    relax_all<W>(at, x, how, f, j, base, inverse, same_force<Real>{how}, all);
  else
    relax_all<W>(at, x, how, f, j, base, inverse, no_force{}, all);
}

template <bool Forced, class Real>
void collide_rows(const row_job<Real>& job, const relaxation& with) {
  const collision<Real> how(with);
  for_rows(job, [&](const row_pointers<Real>& at) {
    int x = 0;
    for (; x + widest<Real> <= job.cells; x += widest<Real>)
      collide_cells<Forced, widest<Real>>(at, x, how);
    for (; x < job.cells; ++x) collide_cells<Forced, 1>(at, x, how);
  });
}

template <class Real>
void collide(const row_job<Real>& job, const relaxation& how) {
  const bool forced = how.force != std::array<double, 3>{};
  (forced ? collide_rows<true, Real> : collide_rows<false, Real>)(job, how);
}

}  // namespace

template <class Real>
row_kernels<Real> table() {
  return {ONEHOP_APP_TEXT(ONEHOP_APP_ISA),
          widest<Real>,
          collide<Real>,
          sum_order<Real>,
          collide_mixture<Real>,
          collide_phases<Real>,
          velocity_of_phases<Real>};
}
template row_kernels<float> table<float>();
template row_kernels<double> table<double>();

}  // namespace lattice_boltzmann::ONEHOP_APP_ISA
