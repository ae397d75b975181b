#pragma once
/// A setup is a flow whose solution is known.

#include "flow.hpp"

#include <onehop/cartesian.hpp>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lattice_boltzmann {

enum class setup_kind : std::uint8_t { taylor_green, poiseuille, spheres };
/// Returns the kind of "taylor-green", "poiseuille" or "spheres"; throws onehop::usage_error for
/// another word.
setup_kind setup_named(std::string_view word);

/// `taylor_green` has decaying vortices in the planes of x and y:
///   u = U (-sqrt(ky/kx) cos(kx x) sin(ky y), sqrt(kx/ky) sin(kx x) cos(ky y), 0) exp(-nu k.k t),
/// where one wave fills each extent. `poiseuille` is a channel along x between walls across z, at
/// rest at first. A uniform force drives a flow that reaches U in the middle of the channel.
/// `spheres` has a solid sphere of a given radius in the middle of a periodic lattice, and thus an
/// array of spheres, at rest at first. The force along x is the drag of a single sphere in a flow
/// of U, divided by the volume of the lattice. The mean velocity therefore becomes U / K, where K
/// is the drag of a sphere in the array divided by that of a single one.
class setup {
 public:
  /// The setup is for a lattice of these extents; `speed` is U in cells per step.
  setup(setup_kind kind, const onehop::coordinate& extents, double tau, double speed,
        double radius = 0);

  setup_kind kind() const noexcept { return kind_; }
  double speed() const noexcept { return speed_; }
  /// Returns which extents are periodic.
  std::vector<bool> periodic() const;
  std::array<double, 3> force() const noexcept;
  /// Returns whether a cell's centre is in the sphere.
  bool solid(const onehop::coordinate& cell) const;
  fluid at_first(const onehop::coordinate& cell) const;
  /// Returns the velocity at a cell divided by the amplitude: for the vortices at any time, and
  /// otherwise 1 along x.
  std::array<double, 3> shape(const onehop::coordinate& cell) const;

 private:
  setup_kind kind_;
  onehop::coordinate extents_;
  double viscosity_, speed_, radius_;
};

}  // namespace lattice_boltzmann
