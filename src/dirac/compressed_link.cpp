#include "dirac/compressed_link.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

namespace onehop {
namespace {

using complex = std::complex<double>;

/// Returns z / |z|, or 1 for zero.
complex phase_of(const complex& z) {
  const double size = std::abs(z);
  return size == 0 ? 1.0 : z / size;
}

std::array<double, 18> eight_reals(const colour_matrix& u) {
  const double c = std::abs(u[0]);
  const complex first = phase_of(u[0]);
  const double k = 1 / (1 + c);
  const std::array<complex, 2> p = {k * u[3] * std::conj(first), k * u[6] * std::conj(first)};
  // F(p)^+ maps the second column to (0, t_2 c', t_2 w').
  const complex f = (1 + c) * (u[1] + std::conj(p[0]) * u[4] + std::conj(p[1]) * u[7]);
  const std::array<complex, 2> column = {u[4] - p[0] * f, u[7] - p[1] * f};
  const complex second = phase_of(column[0]);
  const complex x = column[1] * std::conj(second) / (1 + std::abs(column[0]));
  return {p[0].real(),
          p[0].imag(),
          p[1].real(),
          p[1].imag(),
          x.real(),
          x.imag(),
          std::tan(std::arg(first) / 4),
          std::tan(std::arg(second) / 4)};
}

}  // namespace

std::array<double, 18> compressed(const colour_matrix& u, double sign, int recon) {
  if (recon == 8) return eight_reals(u);
  std::array<double, 18> result{};
  for (int k = 0; k < 9; ++k) {
    result[2 * k] = sign * u[k].real();
    result[2 * k + 1] = sign * u[k].imag();
  }
  return result;
}

double distance_from_su3(const colour_matrix& u) {
  double largest = 0;
  const auto note = [&largest](const complex& difference) {
    const double size = std::abs(difference);
    // A NaN is kept.
    if (!(size <= largest) && !std::isnan(largest)) largest = size;
  };
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      complex sum = i == j ? -1.0 : 0.0;
      for (int a = 0; a < 3; ++a) sum += std::conj(u[3 * a + i]) * u[3 * a + j];
      note(sum);
    }
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    note(u[6 + i] - std::conj(u[j] * u[3 + k] - u[k] * u[3 + j]));
  }
  return largest;
}

}  // namespace onehop
