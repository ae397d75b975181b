#pragma once
/// A setup is a plasma, or a field without plasma, whose behaviour is known from theory.

#include "cell_kernels.hpp"
#include "particles.hpp"
#include "wakefield.hpp"
#include "yee_grid.hpp"

#include <onehop/cartesian.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace particle_in_cell {

enum class setup_kind : std::uint8_t {
  vacuum_wave,
  plasma_oscillation,
  langmuir,
  plasma_light,
  two_stream,
  gyration,
  thermal,
  wakefield
};
/// Returns the kind of "vacuum-wave", "plasma-oscillation", ...; throws onehop::usage_error for
/// another word.
setup_kind setup_named(std::string_view word);

struct setup_options {
  setup_kind kind = setup_kind::thermal;
  double cell = 0.1;   ///< length of a cell over c / w_p
  double speed = 0.1;  ///< speed of the setup, as u = gamma v / c; not used by wakefield
  int particles = 8;   ///< number in a cell; for gyration, number in all
  int order = 2;       ///< order of the shape
  std::uint64_t seed = 1;
  laser_pulse laser = {};  ///< used by wakefield
};

/// Lengths are in cells, times in cells over c, charges and masses in those of an electron. The
/// mean density of electrons is therefore w_p^2. Ions do not move and lie where electrons begin, so
/// that there is no net charge at first.
///
/// - vacuum_wave: a standing wave in all dimensions, with B = 0 at first;
/// - plasma_oscillation: a cold plasma in which u_x is speed sin(k x), one wave in the extent;
/// - langmuir: a hot plasma whose momenta along x follow a Gaussian of width `speed`, the same in
///   each cell, disturbed as in plasma_oscillation by a hundredth of `speed`;
/// - plasma_light: a cold plasma at rest in a standing wave of light along x, polarised along y,
///   with E = `speed` w_p;
/// - two_stream: beams of +- speed along x, disturbed by a millionth of `speed`;
/// - gyration: test particles without charge of their own in a uniform B along z, with speeds
///   across B of up to `speed`, for which the radius is an eighth of the smaller extent, and half
///   of it along B;
/// - thermal: momenta from a Gaussian of width `speed`, in pairs of opposite ones;
/// - wakefield: a cold plasma at rest beyond the end of the lattice along x, which the window
///   reaches later, without the cells of absorbing layers at the other ends.
class setup {
 public:
  setup(const setup_options& how, const onehop::coordinate& extents, int dimensions);

  const setup_options& options() const noexcept { return how_; }
  /// Returns the mean density of electrons, 0 if particles have no charge of their own.
  double density() const noexcept;
  double magnetic_field() const noexcept;
  boundary ends() const noexcept;
  std::array<double, 3> electric(const onehop::coordinate& cell) const;
  std::array<double, 3> magnetic(const onehop::coordinate& cell) const;
  /// Returns E divided by its amplitude, if the setup has one.
  std::array<double, 3> mode(const onehop::coordinate& cell) const;
  /// Calls `take` with each particle of a cell, by global coordinate; for wakefield, the coordinate
  /// is in the window at rest.
  void for_particles(const onehop::coordinate& cell,
                     const std::function<void(const particle&)>& take) const;

 private:
  double wave_number(std::size_t mu) const noexcept;
  std::array<double, 3> place(std::uint64_t number) const;
  std::array<double, 3> momentum(const onehop::coordinate& cell, const particle& of,
                                 int number) const;
  std::uint64_t number_of(const onehop::coordinate& cell) const noexcept;
  void for_particles_at_rest(const onehop::coordinate& cell,
                             const std::function<void(const particle&)>& take) const;
  void for_test_particles(const onehop::coordinate& cell,
                          const std::function<void(const particle&)>& take) const;

  setup_options how_;
  onehop::coordinate extents_;
  int dimensions_;
  double least_;                 ///< offset at the lower end of a cell
  std::vector<double> thermal_;  ///< u along x by the electron's number in its cell
};

}  // namespace particle_in_cell
