#pragma once
/// A mixture_setup is an initial order parameter, from which fluids at rest begin.

#include <onehop/cartesian.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace lattice_boltzmann {

enum class mixture_kind : std::uint8_t { droplet, spinodal, bubble, oscillation, layers };
/// Returns the kind of "droplet", "spinodal", "bubble", "oscillation" or "poiseuille"; throws
/// onehop::usage_error for another word.
mixture_kind mixture_named(std::string_view word);

/// `droplet` is a droplet of `radius` in the middle of the lattice, whose interface is tanh(2
/// (radius - r) / W). On a wall it is half a droplet with its centre on the lower wall across z. If
/// an extent is one cell, it is a cylinder along that axis. `bubble` consists of the other fluid;
/// its centre is two radii above a wall, and there is another wall at the top. `spinodal` has
/// uniform random numbers from -noise to noise, drawn by cell and seed. `oscillation` is a droplet
/// whose radius is increased by the deformation times P_2(cos theta), with theta from the z axis;
/// for a cylinder by the deformation times cos 2 theta, with theta from the last axis that is not
/// its own. `layers` have the fluid with order parameter 1 in the lower half, between walls across
/// z.
struct mixture_setup {
  mixture_kind kind = mixture_kind::droplet;
  double radius = 8, interface_width = 4;
  bool wall = false;  ///< walls at both ends of z
  double noise = 0.01;
  std::uint64_t seed = 1;
  double deformation = 0.1;

  /// Returns which extents are periodic.
  std::vector<bool> periodic() const { return {true, true, !walls()}; }
  /// Returns the order parameter at a cell of a lattice of these extents.
  double order(const onehop::coordinate& cell, const onehop::coordinate& extents) const;
  /// Returns how much higher the pressure is in the fluid with order parameter 1, of density 1,
  /// than in the other. This is Laplace's pressure and, for a bubble, the weight of the fluid
  /// above; it is 0 for a spinodal mixture and for layers.
  double heavy_pressure(const onehop::coordinate& cell, const onehop::coordinate& extents,
                        double surface_tension, double gravity) const;

 private:
  bool walls() const {
    return wall || kind == mixture_kind::bubble || kind == mixture_kind::layers;
  }
  double middle(std::size_t mu, const onehop::coordinate& extents) const;
};

}  // namespace lattice_boltzmann
