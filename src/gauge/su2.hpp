#pragma once
/// Each SU(2) subgroup of SU(3) has its own heatbath.

#include <array>
#include <optional>

#include <onehop/random.hpp>
#include "gauge/su3.hpp"

namespace onehop::su2 {

/// A quaternion is a0 + i (a1 s1 + a2 s2 + a3 s3) with the Pauli matrices s; it is in SU(2) if its
/// norm is one.
using quaternion = std::array<double, 4>;

inline quaternion adjoint(const quaternion& a) noexcept { return {a[0], -a[1], -a[2], -a[3]}; }

inline quaternion multiply(const quaternion& a, const quaternion& b) noexcept {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
          a[0] * b[2] + a[2] * b[0] - a[3] * b[1] + a[1] * b[3],
          a[0] * b[3] + a[3] * b[0] - a[1] * b[2] + a[2] * b[1]};
}

/// A subgroup acts in these rows and columns of SU(3).
struct subgroup {
  std::size_t i, j;
};
inline constexpr std::array<subgroup, 3> subgroups = {{{0, 1}, {1, 2}, {0, 2}}};

/// Returns the quaternion v with Re tr(a w) over the subgroup = 2 (a v)_0 for every a in it.
inline quaternion project(const colour_matrix& w, subgroup s) noexcept {
  const auto &ii = w[4 * s.i], &ij = w[3 * s.i + s.j], &ji = w[3 * s.j + s.i], &jj = w[4 * s.j];
  return {0.5 * (ii.real() + jj.real()), 0.5 * (ij.imag() + ji.imag()),
          0.5 * (ij.real() - ji.real()), 0.5 * (ii.imag() - jj.imag())};
}

/// Sets u := a u.
inline void multiply_rows(const quaternion& a, subgroup s, colour_matrix& u) noexcept {
  const su3::complex diagonal{a[0], a[3]}, corner{a[2], a[1]};
  for (std::size_t k = 0; k < 3; ++k) {
    const su3::complex x = u[3 * s.i + k], y = u[3 * s.j + k];
    u[3 * s.i + k] = su3::times(diagonal, x) + su3::times(corner, y);
    u[3 * s.j + k] = su3::times_conj(y, diagonal) - su3::times_conj(x, corner);
  }
}

/// Draws g from the density exp(alpha g_0) over the Haar measure of SU(2), alpha >= 0. Returns
/// nothing if the limited number of attempts is used up, which happens less than once in 10^12
/// draws.
std::optional<quaternion> draw(double alpha, site_random& numbers) noexcept;

}  // namespace onehop::su2
