#pragma once
/// A colour vector has three colours, and links turn them.

#include <onehop/gauge_field.hpp>

#include <array>
#include <complex>

namespace onehop::reference {

using complex = std::complex<double>;
using colour_vector = std::array<complex, 3>;

/// Multiplies a b by the formula: operator* tests of every product whether it is a number, which
/// takes longer than the product.
inline complex product(const complex& a, const complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

inline colour_matrix product(const colour_matrix& a, const colour_matrix& b) {
  colour_matrix c{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) c[3 * i + j] += product(a[3 * i + k], b[3 * k + j]);
  return c;
}

/// Returns u v, where `v` are three numbers.
inline colour_vector times(const colour_matrix& u, const complex* v) {
  colour_vector result{};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) result[a] += product(u[3 * a + b], v[b]);
  }
  return result;
}

/// Returns u^+ v.
inline colour_vector adjoint_times(const colour_matrix& u, const complex* v) {
  colour_vector result{};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) result[a] += product(std::conj(u[3 * b + a]), v[b]);
  }
  return result;
}

}  // namespace onehop::reference
