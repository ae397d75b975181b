#include "setup.hpp"

#include <onehop/error.hpp>

#include <cmath>
#include <numbers>
#include <string>

namespace lattice_boltzmann {

setup_kind setup_named(std::string_view word) {
  if (word == "taylor-green") return setup_kind::taylor_green;
  if (word == "poiseuille") return setup_kind::poiseuille;
  if (word == "spheres") return setup_kind::spheres;
  throw onehop::usage_error("setup '" + std::string(word) +
                            "' is not known; choose taylor-green, poiseuille or spheres");
}

setup::setup(setup_kind kind, const onehop::coordinate& extents, double tau, double speed,
             double radius)
    : kind_(kind), extents_(extents), viscosity_((tau - 0.5) / 3), speed_(speed), radius_(radius) {}

std::vector<bool> setup::periodic() const { return {true, true, kind_ != setup_kind::poiseuille}; }

/// Between walls at a distance H, a force F makes a parabola that reaches F H^2 / (8 nu) in the
/// middle. The drag of a single sphere is 6 pi nu a U.
std::array<double, 3> setup::force() const noexcept {
  if (kind_ == setup_kind::taylor_green) return {};
  if (kind_ == setup_kind::spheres)
    return {6 * std::numbers::pi * viscosity_ * radius_ * speed_ /
                static_cast<double>(onehop::volume(extents_)),
            0, 0};
  return {8 * viscosity_ * speed_ / (static_cast<double>(extents_[2]) * extents_[2]), 0, 0};
}

std::array<double, 3> setup::shape(const onehop::coordinate& cell) const {
  if (kind_ != setup_kind::taylor_green) return {1, 0, 0};
  const double x = 2 * std::numbers::pi * cell[0] / extents_[0],
               y = 2 * std::numbers::pi * cell[1] / extents_[1],
               ratio = std::sqrt(static_cast<double>(extents_[0]) / extents_[1]);
  return {-ratio * std::cos(x) * std::sin(y), std::sin(x) * std::cos(y) / ratio, 0};
}

bool setup::solid(const onehop::coordinate& cell) const {
  if (kind_ != setup_kind::spheres) return false;
  double square = 0;
  for (std::size_t mu = 0; mu < 3; ++mu) {
    const double away = cell[mu] + 0.5 - extents_[mu] / 2.0;
    square += away * away;
  }
  return square < radius_ * radius_;
}

/// The pressure of the vortices, a third of the density, balances them.
fluid setup::at_first(const onehop::coordinate& cell) const {
  if (kind_ != setup_kind::taylor_green) return {};
  fluid here{0, shape(cell)};
  for (double& component : here.velocity) component *= speed_;
  const double x = 4 * std::numbers::pi * cell[0] / extents_[0],
               y = 4 * std::numbers::pi * cell[1] / extents_[1],
               ratio = static_cast<double>(extents_[0]) / extents_[1];
  here.excess = -0.75 * speed_ * speed_ * (ratio * std::cos(x) + std::cos(y) / ratio);
  return here;
}

}  // namespace lattice_boltzmann
