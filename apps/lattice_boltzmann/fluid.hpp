#pragma once
/// A fluid is what the populations of a cell make together.

#include "row_kernels.hpp"

#include <array>

namespace lattice_boltzmann {

/// This is a cell's density, relative to the mean, less 1, and its velocity in cells per step.
struct fluid {
  double excess = 0;
  std::array<double, 3> velocity{};
};

/// Returns the populations f_i - w_i of the first cell of a row.
template <class Real>
std::array<double, directions> populations_of(const row_pointers<Real>& row) noexcept {
  std::array<double, directions> found;
  for (std::size_t i = 0; i < directions; ++i) found[i] = row[i][0];
  return found;
}

/// Returns density and velocity, which has half of a step's force.
inline fluid fluid_of(const std::array<double, directions>& f,
                      const std::array<double, 3>& force) noexcept {
  fluid here{f[0], {force[0] / 2, force[1] / 2, force[2] / 2}};
  for (std::size_t k = 0; k < pairs; ++k) {
    here.excess += f[2 * k + 1] + f[2 * k + 2];
    for (std::size_t mu = 0; mu < 3; ++mu)
      here.velocity[mu] += first_of_pair[k][mu] * (f[2 * k + 1] - f[2 * k + 2]);
  }
  for (double& component : here.velocity) component /= 1 + here.excess;
  return here;
}

}  // namespace lattice_boltzmann
