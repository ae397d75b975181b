#include "dirac/compressed_link.hpp"

#include "dirac/isa/expand_link.hpp"
#include "dirac/isa/simd.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

using namespace onehop;

namespace {

using complex = std::complex<double>;
using lane = simd<double, 1>;

colour_matrix times(const colour_matrix& a, const colour_matrix& b) {
  colour_matrix result{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) result[3 * i + j] += a[3 * i + k] * b[3 * k + j];
    }
  }
  return result;
}

/// Turns two colours by an SU(2) matrix (a, b), |a|^2 + |b|^2 = 1.
colour_matrix turn(int i, int j, complex a, complex b) {
  colour_matrix result{};
  for (int k = 0; k < 3; ++k) result[4 * k] = 1;
  result[4 * i] = a;
  result[3 * i + j] = b;
  result[3 * j + i] = -std::conj(b);
  result[4 * j] = std::conj(a);
  return result;
}

/// The matrices are those where a divisor vanishes, and others.
std::vector<colour_matrix> matrices() {
  const std::array<std::pair<complex, complex>, 6> special = {
      {{1, 0}, {-1, 0}, {0, 1}, {0, complex(0, -1)}, {complex(0, 1), 0}, {0.6, complex(0, 0.8)}}};
  std::vector<colour_matrix> result;
  for (const auto& [a, b] : special) {
    for (const auto& [c, d] : special) {
      for (const auto& [e, f] : special) {
        result.push_back(times(turn(0, 1, a, b), times(turn(1, 2, c, d), turn(0, 2, e, f))));
      }
    }
  }
  std::mt19937 numbers(1);
  std::uniform_real_distribution<double> angle(-3.15, 3.15);
  const auto any = [&](int i, int j) {
    const double t = angle(numbers);
    return turn(i, j, std::polar(std::cos(t), angle(numbers)),
                std::polar(std::sin(t), angle(numbers)));
  };
  for (int k = 0; k < 300; ++k) {
    result.push_back(times(any(0, 1), times(any(1, 2), times(any(0, 2), any(0, 1)))));
  }
  return result;
}

std::array<lane, 8> eight_of(const colour_matrix& u) {
  const std::array<double, 18> reals = compressed(u, 1, 8);
  std::array<lane, 8> stored;
  for (int k = 0; k < 8; ++k) stored[k] = lane::broadcast(reals[k]);
  return stored;
}

}  // namespace

BOOST_AUTO_TEST_CASE(eight_reals_of_at_most_one_stand_for_any_su3_matrix) {
  for (const colour_matrix& u : matrices()) {
    const std::array<lane, 8> stored = eight_of(u);
    for (const lane& real : stored) BOOST_TEST(std::abs(real.v[0]) <= 1 + 1e-15);
    for (const double sign : {1.0, -1.0}) {
      std::array<double, 18> opened{};
      expand_eight(opened.data(), stored.data(), lane::broadcast(sign));
      for (int k = 0; k < 9; ++k) {
        const complex got(opened[2 * k], opened[2 * k + 1]);
        BOOST_TEST(std::abs(got - sign * u[k]) < 1e-14);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(folded_links_multiply_as_their_matrices_do) {
  const std::array<complex, 3> psi = {complex(0.3, -1.2), complex(0.8, 0.1), complex(-0.4, 0.7)};
  for (const colour_matrix& u : matrices()) {
    const folded_link<lane> link(eight_of(u).data(), lane::broadcast(-1));
    std::array<complex_simd<lane>, 3> ahead, behind;
    for (int k = 0; k < 3; ++k) {
      ahead[k] = {lane::broadcast(psi[k].real()), lane::broadcast(psi[k].imag())};
    }
    behind = ahead;
    link.multiply<false>(ahead.data());
    link.multiply<true>(behind.data());
    for (int i = 0; i < 3; ++i) {
      complex forward = 0;
      complex backward = 0;
      for (int j = 0; j < 3; ++j) {
        forward -= u[3 * i + j] * psi[j];
        backward -= std::conj(u[3 * j + i]) * psi[j];
      }
      BOOST_TEST(std::abs(complex(ahead[i].re.v[0], ahead[i].im.v[0]) - forward) < 1e-14);
      BOOST_TEST(std::abs(complex(behind[i].re.v[0], behind[i].im.v[0]) - backward) < 1e-14);
    }
  }
}
