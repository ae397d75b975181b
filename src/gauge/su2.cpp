#include "gauge/su2.hpp"

#include <cmath>
#include <numbers>

namespace onehop::su2 {
namespace {

/// Proposes g_0 = 1 - delta with delta from a Gamma(3/2) distribution, accepted with sqrt(1 -
/// delta/2) (Kennedy and Pendleton, Phys. Lett. B 156 (1985) 393).
std::optional<double> propose_gamma(double alpha, site_random& numbers) noexcept {
  const auto [r1, r2] = numbers.uniform_pair();
  const auto [r3, r4] = numbers.uniform_pair();
  const double cosine = std::cos(2 * std::numbers::pi * r2);
  const double delta = -(std::log(r1) + cosine * cosine * std::log(r3)) / alpha;
  if (r4 * r4 <= 1 - 0.5 * delta) return 1 - delta;
  return {};
}

/// Proposes g_0 uniformly in (-1,1), accepted with sqrt(1 - g_0^2) exp(alpha (g_0 - 1)). It serves
/// small alpha, for which the proposal of Kennedy and Pendleton mostly leaves (-1,1).
std::optional<double> propose_flat(double alpha, site_random& numbers) noexcept {
  const auto [r1, r2] = numbers.uniform_pair();
  const double g0 = 2 * r1 - 1;
  if (r2 * r2 <= (1 - g0 * g0) * std::exp(2 * alpha * (g0 - 1))) return g0;
  return {};
}

constexpr int attempts = 128;
/// Both proposals are accepted equally often at this alpha.
constexpr double crossover = 0.75;

/// Returns g_0 with a vector part in a uniformly random direction.
quaternion with_random_direction(double g0, site_random& numbers) noexcept {
  const auto [r1, r2] = numbers.uniform_pair();
  const double length = std::sqrt(1 - g0 * g0);
  const double z = 2 * r1 - 1, phi = 2 * std::numbers::pi * r2;
  const double across = length * std::sqrt(1 - z * z);
  return {g0, across * std::cos(phi), across * std::sin(phi), length * z};
}

}  // namespace

std::optional<quaternion> draw(double alpha, site_random& numbers) noexcept {
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const auto g0 =
        alpha > crossover ? propose_gamma(alpha, numbers) : propose_flat(alpha, numbers);
    if (g0) return with_random_direction(*g0, numbers);
  }
  return {};
}

}  // namespace onehop::su2
