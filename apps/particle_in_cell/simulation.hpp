#pragma once
/// A simulation runs a setup, and measures it at the end of a step.

#include "plasma.hpp"
#include "setup.hpp"

#include <onehop/context.hpp>

#include <array>
#include <string>
#include <vector>

namespace particle_in_cell {

/// These are sums over the whole lattice, each exact and rounded once, at the time of the fields.
struct plasma_sums {
  double electric_energy, magnetic_energy;
  double kinetic_energy;           ///< energy of electrons, without their rest energy
  std::array<double, 3> momentum;  ///< momentum of electrons, half a step earlier
  double amplitude;                ///< amplitude of the setup's mode in E
  gauss_residuals gauss;
  double particles, made, removed;  ///< numbers of electrons: now, made and removed so far
};

/// All members that change or sum data are collective.
class simulation {
 public:
  /// The grid of ranks is chosen if it is empty. Throws onehop::usage_error for anything that
  /// onehop::cartesian and plasma refuse.
  simulation(const onehop::context& job, const std::vector<int>& lattice,
             const std::vector<int>& grid, const setup_options& what, const plasma_options& how);

  void advance(int steps);
  plasma_sums sums();
  /// Returns (7, z, y, x), x fastest, for this rank's block: E and B at their points of the grid,
  /// and the density of electrons divided by the mean density.
  std::vector<double> fields();
  /// Returns, for each particle of this rank with an id below `ids`, a row of seven numbers: x, y,
  /// z in cells (for a moving window, from its first position), u, and the id.
  std::vector<double> particles(double ids) const;

  const plasma& state() const noexcept { return plasma_; }
  double magnetic_field() const noexcept { return plasma_.what().magnetic_field(); }
  /// Returns the instruction set and lanes of the kernels.
  std::string kernels() const;

 private:
  plasma plasma_;
};

}  // namespace particle_in_cell
