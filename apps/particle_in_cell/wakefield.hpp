#pragma once
/// A wakefield is the field behind a laser pulse in a plasma.

#include <onehop/cartesian.hpp>

#include <numbers>

namespace particle_in_cell {

/// Times are in 1 / w_p and lengths in c / w_p. The pulse is linearly polarised along y, and its
/// vector potential e A / m c at the focus is
///   a0 exp(-r^2 / waist^2) exp(-t^2 / 2 duration^2) cos(frequency t).
struct laser_pulse {
  double a0 = 0.1;  ///< largest u of an electron in the pulse
  double frequency = 6;
  double waist = 4;
  double duration = std::numbers::sqrt2;
};

/// The window has the lattice's size. It rests while an antenna in it sends the pulse along x
/// through vacuum, and moves with the speed of light from the time when the pulse is near its
/// front. At the end of the window's first position, the plasma begins and the pulse has its focus.
///
/// Lengths are in cells and count from the first cell of the window at rest, times in cells over c.
class wakefield {
 public:
  /// The pulse ends where its amplitude is exp(-5.5^2 / 2) of the amplitude in the middle.
  static constexpr double durations_to_the_end = 5.5;

  /// `cell` is the length of a cell in c / w_p. Throws onehop::usage_error if the lattice is too
  /// short for the pulse, or if a wavelength has two cells or fewer.
  wakefield(const laser_pulse& pulse, double cell, const onehop::coordinate& extents,
            int dimensions, double dt);

  const laser_pulse& pulse() const noexcept { return pulse_; }
  int antenna_x() const noexcept;
  /// Returns the first cell along x that has plasma, where the focus is.
  int plasma_begins() const noexcept;
  /// Returns when the middle of the pulse leaves the antenna.
  double pulse_time() const noexcept { return durations_to_the_end * duration_; }
  double window_starts() const noexcept;
  /// Returns how many cells the window has moved at this time.
  int window_moved(double time) const noexcept;
  bool antenna_sends(double time) const noexcept { return time < 2 * pulse_time(); }
  /// Returns the magnetisation of the antenna at B along z of a cell. With it, the light that goes
  /// forward has the pulse's vector potential on the grid.
  double magnetisation(const onehop::coordinate& cell, double time) const;

 private:
  laser_pulse pulse_;
  onehop::coordinate extents_;
  int dimensions_;
  double frequency_, waist_, duration_;  ///< in cells
  double wave_number_;                   ///< wave number on the grid of light with the frequency
};

}  // namespace particle_in_cell
