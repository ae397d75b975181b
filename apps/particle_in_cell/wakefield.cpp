#include "wakefield.hpp"

#include "absorber.hpp"

#include <onehop/error.hpp>

#include <cmath>
#include <string>

namespace particle_in_cell {
namespace {

/// Between the layer and the antenna there is only the light that the antenna sends backwards.
constexpr int behind_antenna = 2;
/// Electrons begin this many cells in front of the pulse.
constexpr int before_pulse = 6;

}  // namespace

wakefield::wakefield(const laser_pulse& pulse, double cell, const onehop::coordinate& extents,
                     int dimensions, double dt)
    : pulse_(pulse),
      extents_(extents),
      dimensions_(dimensions),
      frequency_(pulse.frequency * cell),
      waist_(pulse.waist / cell),
      duration_(pulse.duration / cell) {
  // This is Yee's dispersion along x: sin(k/2) = sin(w dt/2) / dt.
  const double sine = std::sin(frequency_ * dt / 2) / dt;
  if (!(sine < 1) || frequency_ * dt > std::numbers::pi)
    throw onehop::usage_error("a wave of the laser is " +
                              std::to_string(2 * std::numbers::pi / frequency_) +
                              " cells long, which the grid does not carry; make cells smaller");
  wave_number_ = 2 * std::asin(sine);
  const int least =
      static_cast<int>(std::ceil(2 * absorber::thickness + behind_antenna + before_pulse +
                                 2 * durations_to_the_end * duration_));
  if (extents[0] < least)
    throw onehop::usage_error("the lattice is " + std::to_string(extents[0]) +
                              " cells long; the laser pulse with the layers around takes " +
                              std::to_string(least));
  for (int mu = 1; mu < dimensions; ++mu)
    if (extents[static_cast<std::size_t>(mu)] <= 2 * absorber::thickness)
      throw onehop::usage_error("lattice " + onehop::to_string(extents) + " has layers of " +
                                std::to_string(absorber::thickness) +
                                " cells at its ends that absorb; make it wider");
}

int wakefield::antenna_x() const noexcept { return absorber::thickness + behind_antenna; }

int wakefield::plasma_begins() const noexcept { return extents_[0] - absorber::thickness; }

/// At that time, the front of the pulse has reached the end of the window at rest.
double wakefield::window_starts() const noexcept {
  return plasma_begins() - before_pulse - (antenna_x() + 0.5);
}

int wakefield::window_moved(double time) const noexcept {
  return time > window_starts() ? static_cast<int>(time - window_starts()) : 0;
}

/// This is the paraxial Gaussian beam (Siegman, Lasers, 1986, ch. 17) at its distance before the
/// focus. Its fronts are curved, so that the light at the edge is sent first. On the grid, light
/// from a magnetisation M has the amplitude M tan(k/2), and that of -da/dt is w a.
double wakefield::magnetisation(const onehop::coordinate& cell, double time) const {
  const double y = cell[1] + 0.5 - extents_[1] / 2.0,
               z = dimensions_ == 3 ? cell[2] - extents_[2] / 2.0 : 0, square = y * y + z * z;
  const double rayleigh = frequency_ * waist_ * waist_ / 2,
               before = plasma_begins() - (antenna_x() + 0.5), ratio = before / rayleigh,
               wider = std::sqrt(1 + ratio * ratio), width = waist_ * wider,
               curvature = before / (before * before + rayleigh * rayleigh);
  const double late = time - pulse_time() + square * curvature / 2;
  const double across = dimensions_ == 3 ? 1 / wider : 1 / std::sqrt(wider);
  return frequency_ / std::tan(wave_number_ / 2) * pulse_.a0 * across *
         std::exp(-square / (width * width) - late * late / (2 * duration_ * duration_)) *
         std::cos(frequency_ * late);
}

}  // namespace particle_in_cell
