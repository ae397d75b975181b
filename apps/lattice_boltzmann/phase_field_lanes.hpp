#pragma once
/// This is the collision of two fluids of different densities, whose interface keeps its shape by
/// the conservative equation of Allen and Cahn.

#include "mixture_lanes.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

namespace lattice_boltzmann::ONEHOP_APP_ISA {
namespace {

/// The square root is correctly rounded, so that it has the same bits with any vector width.
template <class Real, int W>
LATTICE_BOLTZMANN_INLINE lanes<Real, W> root(lanes<Real, W> of) {
  if constexpr (W == 1)
    return std::sqrt(of);
  else
    for (int lane = 0; lane < W; ++lane) of[lane] = std::sqrt(of[lane]);
  return of;
}

template <class Vector, class Real>
LATTICE_BOLTZMANN_INLINE Vector between(const Vector& value, Real least, Real most) {
  const Vector low = least - Vector{}, high = most - Vector{};
  const Vector above = value < low ? low : value;
  return above > high ? high : above;
}

/// These are the parameters of a phase field that are the same for all cells.
template <class Real>
struct phase_constants {
  Real bulk, gradient, mean, half_difference, sharpness, order_rate, push;
  Real viscous;  ///< used if both fluids have the same kinematic viscosity
  std::array<Real, 3> gravity;

  phase_constants(const relaxation& with, const free_energy& of, const phase_field& how)
      : bulk(static_cast<Real>(of.bulk)),
        gradient(static_cast<Real>(of.gradient)),
        mean(static_cast<Real>((1 + how.light_density) / 2)),
        half_difference(static_cast<Real>((1 - how.light_density) / 2)),
        sharpness(static_cast<Real>(2 / how.width)),
        order_rate(static_cast<Real>(how.order_rate)),
        push(static_cast<Real>((1 - how.order_rate / 2) / 4)),
        viscous(static_cast<Real>((1 - with.even_rate / 2) * (1 - how.light_density) / 2)) {
    for (std::size_t mu = 0; mu < 3; ++mu) gravity[mu] = static_cast<Real>(how.gravity[mu]);
  }
};

/// Between the fluids i = 1 / (tau - 1/2), the inverse of three times the kinematic viscosity,
/// varies like the density. A flow along the interface has a uniform stress there, and its slope is
/// the stress divided by the viscosity, so that this rule keeps the mean of the slopes. The magic
/// parameter (tau - 1/2) (tau_odd - 1/2) is the same everywhere. BGK has none; its odd relaxation
/// times equal the even ones.
template <class Real>
struct times_of_phases {
  Real mean, half_difference, magic, own;  ///< mean and difference are those of i; own is 1 for BGK

  explicit times_of_phases(const two_times& how)
      : mean(static_cast<Real>(0.5 / (how.heavy - 0.5) + 0.5 / (how.light - 0.5))),
        half_difference(static_cast<Real>(0.5 / (how.heavy - 0.5) - 0.5 / (how.light - 0.5))),
        magic(static_cast<Real>(how.magic.value_or(0))),
        own(how.magic ? 0 : 1) {}

  template <int W>
  LATTICE_BOLTZMANN_INLINE collision_of_cells<Real, W> at(const lanes<Real, W>& phi) const {
    using vector = lanes<Real, W>;
    const vector inverse = mean + half_difference * between(phi, Real{-1}, Real{1});
    return {inverse / (Real{1} + Real{0.5} * inverse),
            inverse / (own + inverse * (Real{0.5} + magic * inverse))};
  }
};

/// Returns the factor of a viscous force, (1 - s+/2) times half the difference of the densities.
template <class Real, int W>
LATTICE_BOLTZMANN_INLINE lanes<Real, W> viscous_of(const collision_of_cells<Real, W>& how,
                                                   const phase_constants<Real>& of) {
  return of.half_difference * (Real{1} - Real{0.5} * how.even_rate);
}

/// A phase_at contains what acts on cells. p* = 3 p / rho is the sum of the populations. The forces
/// per mass are gravity; mu grad phi / rho for the surface; -p*/3 grad rho / rho for the part of p*
/// that is not pressure; and nu (grad u + (grad u)^T) . grad rho / rho for a viscosity that is not
/// the same everywhere. The slopes in the last force come from the non-equilibrium part of the
/// second moments of the populations (Fakhari, Mitchell, Leonardi and Bolster, Phys. Rev. E 96
/// (2017) 053301). The velocity used for it does not include half of that force itself.
template <class Real, int W>
struct phase_at {
  using vector = lanes<Real, W>;
  free_energy_at<Real, W> energy;
  std::array<vector, 3> acceleration, velocity;

  template <class Viscous>
  LATTICE_BOLTZMANN_INLINE phase_at(const mixture_row<Real>& at, int x,
                                    const std::array<std::ptrdiff_t, 3>& strides,
                                    const cell_sums<Real, W>& f, const phase_constants<Real>& how,
                                    const Viscous& viscous)
      : energy(at.phi, x, strides, how.bulk, how.gradient) {
    const vector density = how.mean + how.half_difference * between(energy.phi, Real{-1}, Real{1});
    const vector inverse = Real{1} / density;
    const vector third = static_cast<Real>(1.0 / 3) * f.excess;
    const vector along_slope = inverse * (energy.potential - how.half_difference * third);
    for (std::size_t mu = 0; mu < 3; ++mu) {
      acceleration[mu] = along_slope * energy.slope[mu] + how.gravity[mu];
      velocity[mu] = f.momentum[mu] + Real{0.5} * acceleration[mu];
    }
    const auto& [u, v, w] = velocity;
    const auto& [a, b, c] = acceleration;
    const auto& s = f.sum;
    const auto& d = energy.slope;
    const vector xx = (s[0] + (s[3] + s[4]) + (s[5] + s[6])) - third - u * (u - a),
                 yy = (s[1] + (s[3] + s[4]) + (s[7] + s[8])) - third - v * (v - b),
                 zz = (s[2] + (s[5] + s[6]) + (s[7] + s[8])) - third - w * (w - c);
    const vector xy = (s[3] - s[4]) - u * v + Real{0.5} * (u * b + v * a),
                 xz = (s[5] - s[6]) - u * w + Real{0.5} * (u * c + w * a),
                 yz = (s[7] - s[8]) - v * w + Real{0.5} * (v * c + w * b);
    const vector factor = viscous * inverse;
    const std::array<vector, 3> dragged{factor * (xx * d[0] + xy * d[1] + xz * d[2]),
                                        factor * (xy * d[0] + yy * d[1] + yz * d[2]),
                                        factor * (xz * d[0] + yz * d[1] + zz * d[2])};
    for (std::size_t mu = 0; mu < 3; ++mu) {
      acceleration[mu] = acceleration[mu] - dragged[mu];
      velocity[mu] = velocity[mu] - Real{0.5} * dragged[mu];
    }
  }
};

/// The flux of the order parameter is (1 + phi) u - M (grad phi - 2 / W (1 - phi^2) n), where n is
/// the normal. For an incompressible flow this is equivalent to phi u; with sound, phi u would
/// change the small density of the light fluid, where phi is -1, by as much as that of the heavy
/// one. The even parts of its populations are set to equilibrium, and the odd parts relax.
template <int W, class Real>
LATTICE_BOLTZMANN_INLINE void relax_phase(const mixture_row<Real>& at, int x,
                                          const phase_at<Real, W>& here,
                                          const phase_constants<Real>& how) {
  using vector = lanes<Real, W>;
  const auto& phi = here.energy.phi;
  const auto& slope = here.energy.slope;
  const vector length =
      root<Real, W>(slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2]);
  const vector pushed =
      how.push * how.sharpness * (Real{1} - phi * phi) / (length + static_cast<Real>(1e-12));
  const vector even = Real{0.125} * phi, carried = how.order_rate * (Real{1} + phi);
  store<Real, W>(at.order[0] + x, Real{0.25} * phi);
  for (std::size_t k = 0; k < 3; ++k) {
    Real* const ahead = at.order[2 * k + 1] + x;
    Real* const behind = at.order[2 * k + 2] + x;
    const vector flow = load<Real, W>(ahead) - load<Real, W>(behind);
    const vector odd = Real{0.5} * ((Real{1} - how.order_rate) * flow + carried * here.velocity[k] +
                                    pushed * slope[k]);
    store<Real, W>(behind, even + odd);
    store<Real, W>(ahead, even - odd);
  }
}

/// The populations of the momentum describe velocity and p*, as if the density were 1.
template <int W, class Real, class How, class Viscous>
LATTICE_BOLTZMANN_INLINE void collide_phase_cells(const mixture_row<Real>& at, int x,
                                                  const std::array<std::ptrdiff_t, 3>& strides,
                                                  const How& how,
                                                  const phase_constants<Real>& constants,
                                                  const Viscous& viscous) {
  using vector = lanes<Real, W>;
  prefetch_mixture(at, x, strides[2]);
  const cell_sums<Real, W> f(at.momentum, x);
  const phase_at<Real, W> here(at, x, strides, f, constants, viscous);
  const auto& u = here.velocity;
  const auto& a = here.acceleration;
  const vector square = Real{1.5} * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  const vector base = how.even_rate * (f.excess - square) -
                      how.drag_factor * (u[0] * a[0] + u[1] * a[1] + u[2] * a[2]);
  store<Real, W>(at.momentum[0] + x, how.even_kept * f.rest + static_cast<Real>(1.0 / 3) * base);
  const vector one = Real{1} - vector{};
  relax_all<W>(at.momentum, x, how, f, u, base, one, force_of_cells<vector, How>{how, a},
               std::make_index_sequence<pairs>());
  relax_phase<W>(at, x, here, constants);
}

template <class Real>
void collide_same_viscosity(const mixture_job<Real>& job, const relaxation& with,
                            const phase_constants<Real>& constants) {
  const collision<Real> how(with);
  for_mixture_rows(
      job, true, [&](const mixture_row<Real>& at, int x, auto lanes_of) LATTICE_BOLTZMANN_APART {
        constexpr int W = lanes_of();
        collide_phase_cells<W>(at, x, job.phi_strides, how, constants, constants.viscous);
      });
}

template <class Real>
void collide_two_viscosities(const mixture_job<Real>& job, const two_times& times,
                             const phase_constants<Real>& constants) {
  const times_of_phases<Real> of(times);
  for_mixture_rows(
      job, true, [&](const mixture_row<Real>& at, int x, auto lanes_of) LATTICE_BOLTZMANN_APART {
        constexpr int W = lanes_of();
        const collision_of_cells<Real, W> how = of.template at<W>(load<Real, W>(at.phi + x));
        collide_phase_cells<W>(at, x, job.phi_strides, how, constants,
                               viscous_of<Real, W>(how, constants));
      });
}

template <class Real>
void collide_phases(const mixture_job<Real>& job, const relaxation& with, const free_energy& of,
                    const phase_field& phases) {
  const phase_constants<Real> constants(with, of, phases);
  if (phases.times)
    collide_two_viscosities(job, *phases.times, constants);
  else
    collide_same_viscosity(job, with, constants);
}

/// Returns the velocity of the first cell of a job.
template <class Real>
std::array<Real, 3> velocity_of_phases(const mixture_job<Real>& job, const relaxation& with,
                                       const free_energy& of, const phase_field& phases) {
  const phase_constants<Real> constants(with, of, phases);
  const mixture_row<Real> at{job.momentum.at, job.order.at, job.kept, job.phi};
  Real viscous = constants.viscous;
  if (phases.times) {
    const times_of_phases<Real> times(*phases.times);
    viscous = viscous_of<Real, 1>(times.template at<1>(at.phi[0]), constants);
  }
  return phase_at<Real, 1>(at, 0, job.phi_strides, cell_sums<Real, 1>(at.momentum, 0), constants,
                           viscous)
      .velocity;
}

}  // namespace
}  // namespace lattice_boltzmann::ONEHOP_APP_ISA
