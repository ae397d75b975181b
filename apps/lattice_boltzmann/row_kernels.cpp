// This file is built once for each instruction set: ONEHOP_APP_ISA names it.
#include "row_kernels.hpp"

#include "cell_lanes.hpp"

#include <common/instruction_sets.hpp>

#include <cstddef>
#include <utility>

namespace lattice_boltzmann::ONEHOP_APP_ISA {
namespace {

/// A collision has what is the same for all cells. With the momentum j = n u at half a step, the
/// even part of a pair becomes
///   (1 - s+) f+ + w (s+ (n - 1 - 3/2 n u.u) - 3 (1 - s+/2) u.F
///                    + e.j (9/2 s+ e.j + 9 (1 - s+/2) e.F) / n)
/// and the odd part
///   (1 - s-) f- + 3 w (s- e.j + (1 - s-/2) e.F).
template <class Real>
struct collision {
  Real even_rate, even_kept, half_kept_even, half_kept_odd;
  std::array<Real, 3> half_force, drag;  ///< F / 2, and 3 (1 - s+/2) F
  struct pair_constants {
    Real weight, along, force_along, odd, odd_force;
  };
  std::array<pair_constants, pairs> of;

  explicit collision(const relaxation& how) {
    const double even = how.even_rate, odd = how.odd_rate;
    even_rate = static_cast<Real>(even);
    even_kept = static_cast<Real>(1 - even);
    half_kept_even = static_cast<Real>((1 - even) / 2);
    half_kept_odd = static_cast<Real>((1 - odd) / 2);
    for (std::size_t mu = 0; mu < 3; ++mu) {
      half_force[mu] = static_cast<Real>(how.force[mu] / 2);
      drag[mu] = static_cast<Real>(3 * (1 - even / 2) * how.force[mu]);
    }
    for (std::size_t k = 0; k < pairs; ++k) {
      const double w = weight(2 * k + 1);
      double force = 0;
      for (std::size_t mu = 0; mu < 3; ++mu) force += first_of_pair[k][mu] * how.force[mu];
      of[k] = {static_cast<Real>(w), static_cast<Real>(4.5 * even * w),
               static_cast<Real>(9 * (1 - even / 2) * w * force), static_cast<Real>(3 * odd * w),
               static_cast<Real>(3 * (1 - odd / 2) * w * force)};
    }
  }
};

template <bool Forced, int W, std::size_t Pair, class Real>
LATTICE_BOLTZMANN_INLINE void relax(const row_pointers<Real>& at, int x, const collision<Real>& how,
                                    const pair_of<Real, W>& before,
                                    const std::array<lanes<Real, W>, 3>& j,
                                    const lanes<Real, W>& base, const lanes<Real, W>& inverse) {
  using vector = lanes<Real, W>;
  const auto& constants = how.of[Pair];
  const vector ej = along<Pair>(j);
  vector slope = constants.along * ej;
  if constexpr (Forced) slope = slope + constants.force_along;
  const vector even =
      how.half_kept_even * before.sum + (constants.weight * base + ej * inverse * slope);
  vector odd = how.half_kept_odd * before.difference + constants.odd * ej;
  if constexpr (Forced) odd = odd + constants.odd_force;
  store<Real, W>(at[2 * Pair + 2] + x, even + odd);
  store<Real, W>(at[2 * Pair + 1] + x, even - odd);
}

template <bool Forced, int W, class Real, std::size_t... Pair>
LATTICE_BOLTZMANN_INLINE void collide_cells(const row_pointers<Real>& at, int x,
                                            const collision<Real>& how,
                                            std::index_sequence<Pair...> /*pairs*/) {
  using vector = lanes<Real, W>;
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
  (relax<Forced, W, Pair>(at, x, how, f.of[Pair], j, base, inverse), ...);
}

template <bool Forced, class Real>
void collide_rows(const row_job<Real>& job, const relaxation& with) {
  constexpr auto all = std::make_index_sequence<pairs>();
  const collision<Real> how(with);
  for_rows(job, [&](const row_pointers<Real>& at) {
    int x = 0;
    for (; x + widest<Real> <= job.cells; x += widest<Real>)
      collide_cells<Forced, widest<Real>>(at, x, how, all);
    for (; x < job.cells; ++x) collide_cells<Forced, 1>(at, x, how, all);
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
  return {ONEHOP_APP_TEXT(ONEHOP_APP_ISA), widest<Real>, collide<Real>};
}
template row_kernels<float> table<float>();
template row_kernels<double> table<double>();

}  // namespace lattice_boltzmann::ONEHOP_APP_ISA
