#pragma once
/// A plasma is electrons and their electromagnetic field, which act on each other.

#include "cell_kernels.hpp"
#include "migration.hpp"
#include "moving_window.hpp"
#include "particles.hpp"
#include "setup.hpp"
#include "wakefield.hpp"
#include "yee_grid.hpp"

#include <onehop/cartesian.hpp>
#include <onehop/exact_sum.hpp>

#include <array>
#include <optional>
#include <vector>

namespace particle_in_cell {

struct plasma_options {
  pusher how = pusher::boris;
  double courant = 0.95;  ///< dt as a fraction of the largest for which Yee's scheme is stable
};

struct plasma_times {
  double steps_s = 0;      ///< time in steps
  double particles_s = 0;  ///< time in moving particles and adding their currents
  double sort_s = 0;       ///< time in sorting particles by cell
  double exchange_s = 0;   ///< time in start and wait of chains
};

/// These are the largest deviations from Gauss's laws.
struct gauss_residuals {
  double electric, magnetic;
};

/// The lattice has two or three dimensions, and cells have length 1. It is periodic, except for a
/// wakefield, whose ends absorb light and electrons and whose lattice is a window that moves along
/// x. All numbers have the same bits on any grid of ranks, transport and instruction set: those of
/// a particle depend only on the field around it, by operations in a fixed order, and currents are
/// sums of integers.
///
/// Members are collective, except for those that return data of this rank. All throw as
/// put_chain::wait does.
class plasma {
 public:
  /// The constructor throws onehop::usage_error unless the lattice has two or three dimensions,
  /// each block has two cells or more in each dimension, and the order of the shape is 1 or 2. It
  /// also throws as wakefield does.
  plasma(const onehop::cartesian& ranks, const setup& what, const plasma_options& how);

  void step();

  const onehop::cartesian& ranks() const noexcept { return grid_.ranks(); }
  const yee_grid& grid() const noexcept { return grid_; }
  const setup& what() const noexcept { return setup_; }
  double dt() const noexcept { return dt_; }
  double particle_charge() const noexcept { return charge_; }
  std::size_t count() const noexcept { return particles_.count(); }
  /// Return how many particles this rank began with or received as new plasma, and how many it has
  /// removed at the ends of the lattice.
  std::uint64_t made() const noexcept { return made_; }
  std::uint64_t removed() const noexcept { return particles_.removed(); }
  /// Returns how many times this rank has moved a particle by a step.
  std::uint64_t pushes() const noexcept { return pushes_; }
  /// Returns how many cells the window has moved.
  int window_moved() const noexcept { return window_moved_; }
  std::vector<traveller> all_particles() const { return particles_.all(); }
  /// Returns gamma - 1 of the particles of this rank at the time of the fields.
  std::vector<double> kinetic_energies();
  /// Returns the charge at each cell's point in quanta, x fastest, without the charge of ions.
  /// Collective.
  std::vector<quanta> charges();
  double quantum() const noexcept { return quantum_; }
  /// Returns the residuals over the whole lattice, except within two cells of absorbing layers. The
  /// residual of E is for the charge including ions, divided by the mean density if there is one.
  /// Collective.
  gauss_residuals residuals();

  const plasma_times& times() const noexcept { return times_; }
  std::size_t migrated() const noexcept { return migration_.sent(); }
  /// Selects another of the kernels that this processor supports.
  void use(const cell_kernels& kernels) noexcept { kernels_ = &kernels; }
  const cell_kernels& used() const noexcept { return *kernels_; }
  /// Returns the floating-point operations of one push of a particle, see push_flops.
  double flops_of_push() const noexcept;

 private:
  template <class Work>
  void for_rows(const Work& work);
  std::vector<traveller> new_particles(int first_x, int end_x) const;
  void deposit(const std::vector<traveller>& all);
  void add_ions(const std::vector<traveller>& electrons);
  void load();
  void push();
  void start_fields();
  void move_window(const std::vector<traveller>& plasma_in_front);
  bool far_from_layers(const onehop::coordinate& cell) const noexcept;

  setup setup_;
  plasma_options how_;
  double dt_, charge_, quantum_;
  std::optional<wakefield> wake_;
  yee_grid grid_;
  particles particles_;
  migration migration_;
  ghost_sum::field charge_field_;
  ghost_sum charge_sum_;
  ghost_sum::field ions_;  ///< the initial charge of the electrons, in quanta
  std::optional<moving_window> window_;
  int steps_ = 0, window_moved_ = 0;
  std::uint64_t made_ = 0, pushes_ = 0;
  const cell_kernels* kernels_;
  plasma_times times_;
};

}  // namespace particle_in_cell
