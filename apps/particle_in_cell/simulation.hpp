#pragma once
/// A simulation is a setup that runs, and what is known of it at the end of a step.

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
  double kinetic_energy;           ///< electrons', without that of their mass
  std::array<double, 3> momentum;  ///< electrons', half a step before
  double amplitude;                ///< how much of the setup's mode is in E
  gauss_residuals gauss;
  double particles, made, removed;  ///< their numbers: now, made and removed so far
};

/// All members that change or sum anything are collective.
class simulation {
 public:
  /// The grid of ranks is chosen where it is empty. Throws onehop::usage_error for what
  /// onehop::cartesian and plasma refuse.
  simulation(const onehop::context& job, const std::vector<int>& lattice,
             const std::vector<int>& grid, const setup_options& what, const plasma_options& how);

  void advance(int steps);
  plasma_sums sums();
  /// Returns (7, z, y, x), x fastest, of this rank's block: E and B where they lie on the grid, and
  /// the density of electrons over the mean one.
  std::vector<double> fields();
  /// Returns x, y, z in cells, those of a window that moves from where it was at first, and u at
  /// each particle of this rank with an id below `ids`, and the id, in rows of seven.
  std::vector<double> particles(double ids) const;

  const plasma& state() const noexcept { return plasma_; }
  double magnetic_field() const noexcept { return plasma_.what().magnetic_field(); }
  /// Returns the instruction set and lanes of the kernels.
  std::string kernels() const;

 private:
  plasma plasma_;
};

}  // namespace particle_in_cell
