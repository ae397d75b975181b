#pragma once
/// What staggered operators are written with.

#include "dirac_operator.hpp"

namespace onehop::reference {

/// eta_mu(x) = 1, (-1)^x, (-1)^(x+y), (-1)^(x+y+z)
inline double eta(int mu, const coordinate& x) {
  const std::array<int, 4> exponent = {0, x[0], x[0] + x[1], x[0] + x[1] + x[2]};
  return exponent[mu] % 2 == 0 ? 1.0 : -1.0;
}

inline colour_vector times(const colour_matrix& u, const colour_vector& v) {
  colour_vector result{};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) result[a] += u[3 * a + b] * v[b];
  }
  return result;
}

inline colour_vector adjoint_times(const colour_matrix& u, const colour_vector& v) {
  colour_vector result{};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) result[a] += std::conj(u[3 * b + a]) * v[b];
  }
  return result;
}

}  // namespace onehop::reference
