#include "mixture_setup.hpp"

#include <onehop/error.hpp>
#include <onehop/random.hpp>

#include <cmath>
#include <string>

namespace lattice_boltzmann {
namespace {

constexpr onehop::random_use random_order = onehop::user_random(0);

}  // namespace

mixture_kind mixture_named(std::string_view word) {
  if (word == "droplet") return mixture_kind::droplet;
  if (word == "spinodal") return mixture_kind::spinodal;
  throw onehop::usage_error("setup '" + std::string(word) +
                            "' of two fluids is not known; choose droplet or spinodal");
}

double mixture_setup::order(const onehop::coordinate& cell,
                            const onehop::coordinate& extents) const {
  if (kind == mixture_kind::spinodal) {
    const auto row = static_cast<std::uint64_t>(cell[2]) * extents[1] + cell[1];
    const std::uint64_t site = row * extents[0] + cell[0];
    return noise * (2 * onehop::site_random(seed, random_order, 0, site).uniform_pair()[0] - 1);
  }
  double square = 0;
  for (std::size_t mu = 0; mu < 3; ++mu) {
    const double middle = wall && mu == 2 ? -0.5 : (extents[mu] - 1) / 2.0;
    square += (cell[mu] - middle) * (cell[mu] - middle);
  }
  return std::tanh(2 * (radius - std::sqrt(square)) / interface_width);
}

}  // namespace lattice_boltzmann
