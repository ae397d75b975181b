#include "dirac/compressed_link.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

namespace onehop {
namespace {

using complex = std::complex<double>;

std::array<double, 18> eight_reals(const colour_matrix& u) {
  const double c = std::abs(u[0]);
  const double theta = c == 0 ? 0.0 : std::arg(u[0]);
  const complex turn = std::polar(1.0, theta);
  const std::array<complex, 2> w = {u[3] * std::conj(turn), u[6] * std::conj(turn)};
  const double k = 1 / (1 + c);
  // The second column of B, whose product with U is the first row of T.
  const std::array<complex, 3> column = {-std::conj(w[0]), 1 - k * std::norm(w[0]),
                                         -k * w[1] * std::conj(w[0])};
  complex alpha = 0;
  complex beta = 0;
  for (int i = 0; i < 3; ++i) {
    alpha += std::conj(column[i]) * u[3 * i + 1];
    beta += std::conj(column[i]) * u[3 * i + 2];
  }
  return {w[0].real(), w[0].imag(), w[1].real(),         w[1].imag(),
          beta.real(), beta.imag(), std::tan(theta / 4), std::tan(std::arg(alpha) / 4)};
}

}  // namespace

std::array<double, 18> compressed(const colour_matrix& u, double sign, int reals) {
  if (reals == 8) return eight_reals(u);
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
    if (!(size <= largest)) largest = size;
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
