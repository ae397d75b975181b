#include "mixture_setup.hpp"

#include <onehop/error.hpp>
#include <onehop/random.hpp>

#include <array>
#include <cmath>
#include <string>

namespace lattice_boltzmann {
namespace {

constexpr onehop::random_use random_order = onehop::user_random(0);

/// Returns P_2(cos theta), or cos 2 theta for a cylinder, at a point. `squares` are the squared
/// distances from the middle along each axis.
double second_harmonic(const std::array<double, 3>& squares, const onehop::coordinate& extents) {
  const auto [x, y, z] = squares;
  const double distance = x + y + z;
  if (distance == 0) return 0;
  if (extents[0] == 1) return (z - y) / distance;
  if (extents[1] == 1) return (z - x) / distance;
  if (extents[2] == 1) return (y - x) / distance;
  return (3 * z / distance - 1) / 2;
}

}  // namespace

mixture_kind mixture_named(std::string_view word) {
  if (word == "droplet") return mixture_kind::droplet;
  if (word == "spinodal") return mixture_kind::spinodal;
  if (word == "bubble") return mixture_kind::bubble;
  if (word == "oscillation") return mixture_kind::oscillation;
  if (word == "poiseuille") return mixture_kind::layers;
  throw onehop::usage_error("setup '" + std::string(word) +
                            "' of two fluids is not known; choose droplet, spinodal, bubble, "
                            "oscillation or poiseuille");
}

double mixture_setup::order(const onehop::coordinate& cell,
                            const onehop::coordinate& extents) const {
  if (kind == mixture_kind::spinodal) {
    const auto row = static_cast<std::uint64_t>(cell[2]) * extents[1] + cell[1];
    const std::uint64_t site = row * extents[0] + cell[0];
    return noise * (2 * onehop::site_random(seed, random_order, 0, site).uniform_pair()[0] - 1);
  }
  if (kind == mixture_kind::layers)
    return std::tanh(2 * ((extents[2] - 1) / 2.0 - cell[2]) / interface_width);
  std::array<double, 3> squares;
  for (std::size_t mu = 0; mu < 3; ++mu) {
    const double away = cell[mu] - middle(mu, extents);
    squares[mu] = away * away;
  }
  const double distance = std::sqrt(squares[0] + squares[1] + squares[2]);
  const double surface = kind == mixture_kind::oscillation
                             ? radius * (1 + deformation * second_harmonic(squares, extents))
                             : radius;
  const double phi = std::tanh(2 * (surface - distance) / interface_width);
  return kind == mixture_kind::bubble ? -phi : phi;
}

double mixture_setup::middle(std::size_t mu, const onehop::coordinate& extents) const {
  if (mu != 2 || !walls()) return (extents[mu] - 1) / 2.0;
  return kind == mixture_kind::bubble ? 2 * radius - 0.5 : -0.5;
}

double mixture_setup::heavy_pressure(const onehop::coordinate& cell,
                                     const onehop::coordinate& extents, double surface_tension,
                                     double gravity) const {
  if (kind == mixture_kind::spinodal || kind == mixture_kind::layers) return 0;
  const bool flat = extents[0] == 1 || extents[1] == 1 || extents[2] == 1;
  const double jump = (flat ? 1 : 2) * surface_tension / radius;
  if (kind != mixture_kind::bubble) return jump;
  return gravity * (middle(2, extents) - cell[2]) - jump;
}

}  // namespace lattice_boltzmann
