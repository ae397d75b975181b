#pragma once
/// A mixture_setup is an order parameter at first, from which fluids at rest begin.

#include <onehop/cartesian.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace lattice_boltzmann {

enum class mixture_kind : std::uint8_t { droplet, spinodal, bubble, oscillation, layers };
/// Returns the kind of "droplet", "spinodal", "bubble", "oscillation" or "poiseuille"; throws
/// onehop::usage_error for another word.
mixture_kind mixture_named(std::string_view word);

/// `droplet` has one of `radius` amid the lattice, whose interface is tanh(2 (radius - r) / W). On
/// a wall it is the half of one whose middle is at the wall across z below. It is a cylinder along
/// an extent of one cell. `bubble` is of the other fluid, two radii above a wall, with another wall
/// above. `spinodal` has
/// numbers that are uniform from -noise to noise, drawn by cell and seed. `oscillation` is a
/// droplet whose radius is longer by the deformation times P_2(cos theta), theta from the axis z; a
/// cylinder's by cos 2 theta, theta from the last axis that is not its own. `layers` have the fluid
/// where the order parameter is 1 in the half below, between walls across z.
struct mixture_setup {
  mixture_kind kind = mixture_kind::droplet;
  double radius = 8, interface_width = 4;
  bool wall = false;  ///< walls end z, below and above
  double noise = 0.01;
  std::uint64_t seed = 1;
  double deformation = 0.1;

  /// Returns which extents are periodic.
  std::vector<bool> periodic() const { return {true, true, !walls()}; }
  /// Returns the order parameter of a cell of a lattice of these extents.
  double order(const onehop::coordinate& cell, const onehop::coordinate& extents) const;
  /// Returns the pressure of the fluid where the order parameter is 1, of density 1, above that of
  /// the other: that of Laplace and, of a bubble, of the weight above; 0 of a spinodal mixture and
  /// of layers.
  double heavy_pressure(const onehop::coordinate& cell, const onehop::coordinate& extents,
                        double surface_tension, double gravity) const;

 private:
  bool walls() const {
    return wall || kind == mixture_kind::bubble || kind == mixture_kind::layers;
  }
  double middle(std::size_t mu, const onehop::coordinate& extents) const;
};

}  // namespace lattice_boltzmann
