#pragma once
/// Smearing and flow are built from these functions of 3x3 matrices.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "gauge/su3.hpp"

namespace onehop::su3 {

inline colour_matrix adjoint(const colour_matrix& a) noexcept {
  colour_matrix b;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) b[3 * i + j] = std::conj(a[3 * j + i]);
  return b;
}

/// Returns a + scale b.
inline colour_matrix add(const colour_matrix& a, double scale, const colour_matrix& b) noexcept {
  colour_matrix c;
  for (std::size_t k = 0; k < 9; ++k) c[k] = a[k] + scale * b[k];
  return c;
}

inline colour_matrix scaled(double scale, const colour_matrix& a) noexcept {
  colour_matrix b;
  for (std::size_t k = 0; k < 9; ++k) b[k] = scale * a[k];
  return b;
}

/// Returns (a - a^+)/2 without its trace: the projection to the Lie algebra.
inline colour_matrix antihermitian_traceless(const colour_matrix& a) noexcept {
  colour_matrix b = scaled(0.5, add(a, -1.0, adjoint(a)));
  const complex third = (b[0] + b[4] + b[8]) / 3.0;
  for (const std::size_t k : {0, 4, 8}) b[k] -= third;
  return b;
}

/// Returns the cofactors, row by row: cofactors(a) a^T = det a.
inline colour_matrix cofactors(const colour_matrix& a) noexcept {
  colour_matrix c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t i1 = 3 * ((i + 1) % 3), i2 = 3 * ((i + 2) % 3);
      const std::size_t j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      c[3 * i + j] = times(a[i1 + j1], a[i2 + j2]) - times(a[i1 + j2], a[i2 + j1]);
    }
  return c;
}

inline complex determinant(const colour_matrix& a) noexcept {
  const colour_matrix c = cofactors(a);
  return times(a[0], c[0]) + times(a[1], c[1]) + times(a[2], c[2]);
}

/// Returns the Frobenius norm.
inline double norm(const colour_matrix& a) noexcept { return std::sqrt(real_trace_adjoint(a, a)); }

/// Returns exp(x) for an antihermitian traceless x. Such an x satisfies x^3 = c x + d with c = tr
/// x^2 / 2 and d = det x, so the Taylor series needs three numbers and one square
/// (Cayley-Hamilton). The series is evaluated for x / 2^k, of norm at most 1, and squared k times.
inline colour_matrix exponential(const colour_matrix& x) noexcept {
  int halvings = 0;
  for (double size = norm(x); size > 1 && halvings < 64; size /= 2) ++halvings;
  const colour_matrix y = scaled(std::ldexp(1.0, -halvings), x);
  const colour_matrix square = multiply(y, y);
  const complex c = 0.5 * (square[0] + square[4] + square[8]), d = determinant(y);
  // 1/18! is below the rounding of doubles.
  constexpr int terms = 18;
  static constexpr auto inverse_factorials = [] {
    std::array<double, terms + 1> f{};
    f[0] = 1;
    for (std::size_t n = 1; n <= terms; ++n) f[n] = f[n - 1] / static_cast<double>(n);
    return f;
  }();
  std::array<complex, 3> q{};
  for (std::size_t n = terms + 1; n-- > 0;)
    q = {inverse_factorials[n] + times(d, q[2]), q[0] + times(c, q[2]), q[1]};
  colour_matrix result;
  for (std::size_t k = 0; k < 9; ++k) result[k] = times(q[1], y[k]) + times(q[2], square[k]);
  for (const std::size_t k : {0, 4, 8}) result[k] += q[0];
  for (; halvings > 0; --halvings) result = multiply(result, result);
  return result;
}

/// Returns the unitary matrix nearest to `a`, a (a^+ a)^{-1/2}, by Newton's iteration u <- (u +
/// u^{-+})/2 (Higham, SIAM J. Sci. Stat. Comput. 7 (1986) 1160). Returns no value if `a` is not
/// finite, or is singular to rounding.
inline std::optional<colour_matrix> nearest_u3(const colour_matrix& a) noexcept {
  colour_matrix u = a;
  // A singular value near zero starts from 10^8 after one step and is halved 26 times; then
  // convergence is quadratic.
  for (int iteration = 0; iteration < 40; ++iteration) {
    const complex det = determinant(u);
    if (!std::isfinite(std::norm(det)) || !(std::norm(det) > 1e-200)) return std::nullopt;
    colour_matrix inverse_adjoint = cofactors(u);
    for (complex& entry : inverse_adjoint) entry = std::conj(entry / det);
    const colour_matrix next = scaled(0.5, add(u, 1.0, inverse_adjoint));
    const double change = norm(add(next, -1.0, u));
    u = next;
    // The factor that remains is the square of this.
    if (change < 1e-8) return u;
  }
  return std::nullopt;
}

/// Returns the element u of SU(3) nearest to `a` by a's polar decomposition: the nearest unitary
/// matrix, with its determinant's phase divided evenly between the three eigenvalues.
inline std::optional<colour_matrix> nearest_su3(const colour_matrix& a) noexcept {
  std::optional<colour_matrix> u = nearest_u3(a);
  if (!u) return u;
  const complex third = std::polar(1.0, -std::arg(determinant(*u)) / 3);
  for (complex& entry : *u) entry = times(third, entry);
  return u;
}

}  // namespace onehop::su3
