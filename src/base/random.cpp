#include <cmath>
#include <numbers>
#include <onehop/random.hpp>

namespace onehop {

std::array<double, 2> site_random::gaussian_pair() noexcept {
  const auto [u, v] = uniform_pair();
  const double radius = std::sqrt(-2.0 * std::log(u));
  const double angle = 2.0 * std::numbers::pi * v;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace onehop
