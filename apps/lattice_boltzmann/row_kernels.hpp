#pragma once
/// The row kernels collide the populations of rows of cells; they are built for several instruction
/// sets.

#include "d3q19.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace lattice_boltzmann {

/// These pointers address, for each direction, the population of a row's first cell before a
/// collision; those of the next cells follow. A population that leaves in a direction is written to
/// where the one of the opposite direction was, so that a collision touches no other memory.
template <class Real, std::size_t Directions = directions>
using row_pointers = std::array<Real*, Directions>;

/// A row_job describes successive rows, with a distance of `stride` numbers. If a row is periodic,
/// the populations that have left it in x are copied to its other end.
template <class Real, std::size_t Directions = directions>
struct row_job {
  row_pointers<Real, Directions> at;
  int cells, rows;
  std::ptrdiff_t stride;
  bool around;
};

/// A relaxation has two rates: one of the even parts (f_i + f_-i) / 2 and one of the odd parts (f_i
/// - f_-i) / 2 of pairs of opposite directions (TRT; Ginzburg, Verhaeghe and d'Humieres, Commun.
/// Comput. Phys. 3 (2008) 427). For BGK both are equal. The force acts on each cell, per volume
/// (Guo, Zheng and Shi, Phys. Rev. E 65 (2002) 046308).
struct relaxation {
  double even_rate, odd_rate;
  std::array<double, 3> force{};
};

/// These are the rows of two fluids: populations of the momentum, those populations of the order
/// parameter that streamed, those parts that stayed in their cells, and the order parameter with
/// ghosts around it.
template <class Real>
struct mixture_job {
  row_job<Real> momentum;
  row_job<Real, directions_of_d3q7> order;
  /// These are by direction, without direction 0, and null if nothing stays.
  std::array<Real*, directions_of_d3q7 - 1> kept;
  Real* phi;
  std::array<std::ptrdiff_t, 3> phi_strides;
};

/// The free energy per volume is A (phi^2 - 1)^2 + kappa / 2 (grad phi)^2, and its chemical
/// potential is mu = 4 A phi (phi^2 - 1) - kappa lap phi. Gamma is the share of mu in the
/// equilibrium of the order parameter, which sets the mobility.
struct free_energy {
  double bulk, gradient, gamma;  ///< A, kappa and Gamma
};

/// These are the relaxation times of two fluids with different kinematic viscosities, and the magic
/// parameter of TRT, which is the same everywhere; BGK has none.
struct two_times {
  double light, heavy;
  std::optional<double> magic;
};

/// A phase field is an order parameter with the flux (1 + phi) u - M (grad phi - 2 / W (1 - phi^2)
/// n). The density is 1 where phi is 1, and `light` where phi is -1; p* is three times the pressure
/// over the density. Both fluids have the same kinematic viscosity unless there are two times.
struct phase_field {
  double width, order_rate;  ///< W, and 1 / (1/2 + 4 M)
  double light_density;
  std::array<double, 3> gravity;
  std::optional<two_times> times = {};
};

/// Populations are stored as f_i - w_i. The difference from a fluid at rest of density 1 keeps its
/// bits in single precision too.
template <class Real>
struct row_kernels {
  std::string_view isa;
  int lanes;
  void (*collide)(const row_job<Real>& job, const relaxation& how);
  /// Sums the populations of the order parameter.
  void (*sum_order)(const mixture_job<Real>& job);
  /// Collides both fluids. The order parameter must be known around the cells too.
  void (*collide_mixture)(const mixture_job<Real>& job, const relaxation& how,
                          const free_energy& of);
  /// Collides both fluids of a phase field; there are no populations that stay.
  void (*collide_phases)(const mixture_job<Real>& job, const relaxation& how, const free_energy& of,
                         const phase_field& phases);
  /// Returns the velocity of the first cell of a job that its collision uses.
  std::array<Real, 3> (*velocity_of_phases)(const mixture_job<Real>& job, const relaxation& how,
                                            const free_energy& of, const phase_field& phases);
};

/// Returns the kernels that this program was built with and this processor has, the widest first.
template <class Real>
const std::vector<row_kernels<Real>>& usable_kernels();

}  // namespace lattice_boltzmann
