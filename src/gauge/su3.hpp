#pragma once
/// This is the algebra of 3x3 colour matrices.
///
/// Products are written out in real and imaginary parts, because the operators of std::complex test
/// every product for NaN and would cost several times as much.

#include <onehop/gauge_field.hpp>

#include <cmath>

namespace onehop::su3 {

using complex = std::complex<double>;

inline complex times(const complex& a, const complex& b) noexcept {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
/// Returns a conj(b).
inline complex times_conj(const complex& a, const complex& b) noexcept {
  return {a.real() * b.real() + a.imag() * b.imag(), a.imag() * b.real() - a.real() * b.imag()};
}

inline colour_matrix unit() noexcept {
  colour_matrix one{};
  one[0] = one[4] = one[8] = 1.0;
  return one;
}

/// Returns a b.
inline colour_matrix multiply(const colour_matrix& a, const colour_matrix& b) noexcept {
  colour_matrix c;
  for (std::size_t i = 0; i < 9; i += 3)
    for (std::size_t j = 0; j < 3; ++j)
      c[i + j] = times(a[i], b[j]) + times(a[i + 1], b[3 + j]) + times(a[i + 2], b[6 + j]);
  return c;
}

/// Returns a b^+.
inline colour_matrix multiply_adjoint(const colour_matrix& a, const colour_matrix& b) noexcept {
  colour_matrix c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      c[3 * i + j] = times_conj(a[3 * i], b[3 * j]) + times_conj(a[3 * i + 1], b[3 * j + 1]) +
                     times_conj(a[3 * i + 2], b[3 * j + 2]);
  return c;
}

/// Returns a^+ b.
inline colour_matrix adjoint_multiply(const colour_matrix& a, const colour_matrix& b) noexcept {
  colour_matrix c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      c[3 * i + j] =
          times_conj(b[j], a[i]) + times_conj(b[3 + j], a[3 + i]) + times_conj(b[6 + j], a[6 + i]);
  return c;
}

/// Returns Re tr a b^+, the real scalar product of the entries.
inline double real_trace_adjoint(const colour_matrix& a, const colour_matrix& b) noexcept {
  double sum = 0;
  for (std::size_t k = 0; k < 9; ++k) sum += a[k].real() * b[k].real() + a[k].imag() * b[k].imag();
  return sum;
}

/// Makes the nearest special unitary matrix that has the first row's direction: Gram-Schmidt on the
/// first two rows, and the third from their cross product.
inline void reunitarise(colour_matrix& u) noexcept {
  const auto normalise = [&u](std::size_t row) {
    double norm2 = 0;
    for (std::size_t k = row; k < row + 3; ++k) norm2 += std::norm(u[k]);
    const double scale = 1.0 / std::sqrt(norm2);
    for (std::size_t k = row; k < row + 3; ++k) u[k] *= scale;
  };
  normalise(0);
  const complex overlap = times_conj(u[3], u[0]) + times_conj(u[4], u[1]) + times_conj(u[5], u[2]);
  for (std::size_t k = 0; k < 3; ++k) u[3 + k] -= times(overlap, u[k]);
  normalise(3);
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3, after = (k + 2) % 3;
    u[6 + k] = std::conj(times(u[next], u[3 + after]) - times(u[after], u[3 + next]));
  }
}

/// Returns the largest entry of |u^+ u - 1|.
inline double unitarity_deviation(const colour_matrix& u) noexcept {
  const colour_matrix product = adjoint_multiply(u, u), one = unit();
  double largest = 0;
  for (std::size_t k = 0; k < 9; ++k) largest = std::max(largest, std::abs(product[k] - one[k]));
  return largest;
}

}  // namespace onehop::su3
