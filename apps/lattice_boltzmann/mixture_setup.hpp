#pragma once
/// A mixture_setup is an order parameter at first, from which fluids at rest begin.

#include <onehop/cartesian.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace lattice_boltzmann {

enum class mixture_kind : std::uint8_t { droplet, spinodal };
/// Returns the kind of "droplet" or "spinodal"; throws onehop::usage_error for another word.
mixture_kind mixture_named(std::string_view word);

/// `droplet` has one of `radius` amid the lattice, whose interface is tanh(2 (radius - r) / W). On
/// a wall it is the half of one whose middle is at the wall across z below. It is a cylinder along
/// an extent of one cell. `spinodal` has numbers that are uniform from -noise to noise, drawn by
/// cell and seed.
struct mixture_setup {
  mixture_kind kind = mixture_kind::droplet;
  double radius = 8, interface_width = 4;
  bool wall = false;  ///< walls end z, below and above
  double noise = 0.01;
  std::uint64_t seed = 1;

  /// Returns which extents are periodic.
  std::vector<bool> periodic() const { return {true, true, !wall}; }
  /// Returns the order parameter of a cell of a lattice of these extents.
  double order(const onehop::coordinate& cell, const onehop::coordinate& extents) const;
};

}  // namespace lattice_boltzmann
