#pragma once
/// This is the collision of two fluids that separate by a free energy.

#include "collision_lanes.hpp"

#include <cstddef>
#include <utility>

namespace lattice_boltzmann::ONEHOP_APP_ISA {
namespace {

/// These point to the data of the first cell of a row.
template <class Real>
struct mixture_row {
  row_pointers<Real> momentum;
  row_pointers<Real, directions_of_d3q7> order;
  std::array<Real*, directions_of_d3q7 - 1> kept;
  Real* phi;
};

/// If rows are short, two kilobytes ahead are the next rows. A smaller distance is too late for
/// kernels that take longer than their memory.
constexpr std::ptrdiff_t mixture_ahead = 2048;

/// Prefetches populations, and the plane above of the order parameter, which no earlier row has
/// read.
template <class Real>
LATTICE_BOLTZMANN_INLINE void prefetch_mixture(const mixture_row<Real>& at, int x,
                                               std::ptrdiff_t plane) {
  prefetch<mixture_ahead>(at.momentum, x);
  prefetch<mixture_ahead>(at.order, x);
  prefetch<mixture_ahead>(std::array{at.phi + plane}, x);
}

/// Calls `work` with each row, for vectors of cells and then for single ones.
template <class Real, class Work>
LATTICE_BOLTZMANN_INLINE void for_mixture_rows(const mixture_job<Real>& job, bool carries,
                                               const Work& work) {
  mixture_row<Real> at{job.momentum.at, job.order.at, job.kept, job.phi};
  for (int row = 0; row < job.momentum.rows; ++row) {
    int x = 0;
    for (; x + widest<Real> <= job.momentum.cells; x += widest<Real>)
      work(at, x, std::integral_constant<int, widest<Real>>());
    for (; x < job.momentum.cells; ++x) work(at, x, std::integral_constant<int, 1>());
    if (carries && job.momentum.around) {
      carry_around(at.momentum, job.momentum.cells);
      carry_around(at.order, job.momentum.cells);
    }
    for (Real*& each : at.momentum) each += job.momentum.stride;
    for (Real*& each : at.order) each += job.order.stride;
    if (at.kept[0] != nullptr)
      for (Real*& each : at.kept) each += job.order.stride;
    at.phi += job.phi_strides[1];
  }
}

template <bool Kept, class Real>
void sum_order_rows(const mixture_job<Real>& job) {
  for_mixture_rows(job, false, [](const mixture_row<Real>& at, int x, auto lanes_of) {
    constexpr int W = lanes_of();
    using vector = lanes<Real, W>;
    std::array<vector, 3> of;
    for (std::size_t k = 0; k < 3; ++k) {
      const vector ahead = load<Real, W>(at.order[2 * k + 1] + x),
                   behind = load<Real, W>(at.order[2 * k + 2] + x);
      if constexpr (Kept)
        of[k] = (load<Real, W>(at.kept[2 * k] + x) + ahead) +
                (load<Real, W>(at.kept[2 * k + 1] + x) + behind);
      else
        of[k] = ahead + behind;
    }
    store<Real, W>(at.phi + x, load<Real, W>(at.order[0] + x) + ((of[0] + of[1]) + of[2]));
  });
}

template <class Real>
void sum_order(const mixture_job<Real>& job) {
  (job.kept[0] != nullptr ? sum_order_rows<true, Real> : sum_order_rows<false, Real>)(job);
}

/// A free_energy_at contains the quantities that the free energy defines around cells: mu phi, mu,
/// and the force mu grad phi. The force is computed as grad A (phi^2 - 1)^2 - kappa lap phi grad
/// phi, with the same differences between 18 neighbours everywhere, so that its sum over a periodic
/// lattice is zero.
template <class Real, int W>
struct free_energy_at {
  using vector = lanes<Real, W>;
  vector phi, potential;
  std::array<vector, 3> slope, force;  ///< grad phi, and mu grad phi

  LATTICE_BOLTZMANN_INLINE free_energy_at(const Real* row, int x,
                                          const std::array<std::ptrdiff_t, 3>& strides, Real bulk,
                                          Real gradient)
      : phi(load<Real, W>(row + x)) {
    std::array<vector, pairs> sum, across, bulk_slope;
    for (std::size_t k = 0; k < pairs; ++k) {
      const auto& e = first_of_pair[k];
      const std::ptrdiff_t away = e[0] * strides[0] + e[1] * strides[1] + e[2] * strides[2];
      const vector ahead = load<Real, W>(row + x + away), behind = load<Real, W>(row + x - away);
      const vector well_ahead = ahead * ahead - Real{1}, well_behind = behind * behind - Real{1};
      sum[k] = along_axis(k) ? Real{2} * (ahead + behind) : ahead + behind;
      across[k] = ahead - behind;
      bulk_slope[k] = well_ahead * well_ahead - well_behind * well_behind;
    }
    const vector curvature = static_cast<Real>(1.0 / 6) * along_all(sum) - Real{4} * phi;
    const auto diagonal = along_diagonals(across), bulk_diagonal = along_diagonals(bulk_slope);
    for (std::size_t mu = 0; mu < 3; ++mu) {
      const vector twelve = Real{2} * across[mu] + diagonal[mu];
      slope[mu] = static_cast<Real>(1.0 / 12) * twelve;
      force[mu] =
          static_cast<Real>(1.0 / 12) *
          (bulk * (Real{2} * bulk_slope[mu] + bulk_diagonal[mu]) - gradient * curvature * twelve);
    }
    potential = Real{4} * bulk * phi * (phi * phi - Real{1}) - gradient * curvature;
  }
};

/// The order parameter relaxes in one step. With q = 2/3 its populations, of which the part (1 - q)
/// h_i stays in the cell, therefore become
///   h_i(x + e_i, t + 1) = h_i(x + e_i, t) / 3 + h_i^eq(x, t) - h_i(x, t) / 3
/// with h_i^eq = Gamma mu / 2 + 3/4 phi e_i.u and, at rest, phi - 3 Gamma mu.
template <int W, class Real>
LATTICE_BOLTZMANN_INLINE void relax_order(const mixture_row<Real>& at, int x,
                                          const free_energy_at<Real, W>& here, Real gamma,
                                          const std::array<lanes<Real, W>, 3>& u) {
  using vector = lanes<Real, W>;
  const vector share = gamma * here.potential;
  store<Real, W>(at.order[0] + x, here.phi - Real{3} * share);
  for (std::size_t k = 0; k < 3; ++k) {
    Real* const ahead = at.order[2 * k + 1] + x;
    Real* const behind = at.order[2 * k + 2] + x;
    const vector third_ahead = static_cast<Real>(1.0 / 3) *
                               (load<Real, W>(at.kept[2 * k] + x) + load<Real, W>(ahead)),
                 third_behind = static_cast<Real>(1.0 / 3) *
                                (load<Real, W>(at.kept[2 * k + 1] + x) + load<Real, W>(behind));
    const vector carried = Real{0.75} * here.phi * u[k];
    store<Real, W>(at.kept[2 * k] + x, third_ahead);
    store<Real, W>(at.kept[2 * k + 1] + x, third_behind);
    store<Real, W>(behind, (Real{0.5} * share + carried) - third_ahead);
    store<Real, W>(ahead, (Real{0.5} * share - carried) - third_behind);
  }
}

/// The equilibrium of the momentum differs from that of one fluid by 3 w_i phi mu, and at rest by
/// -6 w_0 phi mu (Zheng, Shu and Chew, J. Comput. Phys. 218 (2006) 353).
template <class Real>
void collide_mixture(const mixture_job<Real>& job, const relaxation& with, const free_energy& of) {
  const collision<Real> how(with);
  const Real bulk = static_cast<Real>(of.bulk), gradient = static_cast<Real>(of.gradient),
             gamma = static_cast<Real>(of.gamma);
  for_mixture_rows(
      job, true, [&](const mixture_row<Real>& at, int x, auto lanes_of) LATTICE_BOLTZMANN_APART {
        constexpr int W = lanes_of();
        using vector = lanes<Real, W>;
        prefetch_mixture(at, x, job.phi_strides[2]);
        prefetch<mixture_ahead>(at.kept, x);
        const free_energy_at<Real, W> here(at.phi, x, job.phi_strides, bulk, gradient);
        const auto& force = here.force;
        const cell_sums<Real, W> f(at.momentum, x);
        const vector inverse = Real{1} / (Real{1} + f.excess);
        std::array<vector, 3> j, u;
        for (std::size_t mu = 0; mu < 3; ++mu) {
          j[mu] = f.momentum[mu] + Real{0.5} * force[mu];
          u[mu] = j[mu] * inverse;
        }
        const vector square = Real{1.5} * (j[0] * u[0] + j[1] * u[1] + j[2] * u[2]);
        const vector drag = how.drag_factor * (u[0] * force[0] + u[1] * force[1] + u[2] * force[2]);
        const vector pressure = Real{3} * here.phi * here.potential;
        const vector rest = how.even_rate * (f.excess - square - Real{2} * pressure) - drag,
                     base = how.even_rate * (f.excess - square + pressure) - drag;
        store<Real, W>(at.momentum[0] + x,
                       how.even_kept * f.rest + static_cast<Real>(1.0 / 3) * rest);
        relax_all<W>(at.momentum, x, how, f, j, base, inverse,
                     force_of_cells<vector, collision<Real>>{how, force},
                     std::make_index_sequence<pairs>());
        relax_order<W>(at, x, here, gamma, u);
      });
}

}  // namespace
}  // namespace lattice_boltzmann::ONEHOP_APP_ISA
