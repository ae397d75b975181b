#pragma once
/// A bicgstab_state holds the numbers of a BiCGStab iteration; src/solver/krylov.hpp says how they
/// are computed.

#include "dirac/device/krylov_state.hpp"

namespace onehop::device {

/// Sums of complex numbers are stored as {re, im}.
struct bicgstab_state : krylov_state {
  two_sums rho;  ///< <r0, r>
  two_sums alpha, omega, beta;
  double r0_norm;  ///< |r0|
  two_sums r0_v;   ///< <r0, v>, v = S p
  two_sums r0_s;   ///< <r0, s>, s = r - alpha v
  two_sums t;      ///< |t|^2, t = S s
  two_sums t_s;    ///< <t, s>
  two_sums r0_t;   ///< <r0, t>
  two_sums r;      ///< |r|^2 after the step
};

/// A bicgstab_job works on fields of 12 components.
struct bicgstab_job {
  field_view x, r, r0, p, v, t;
  const bicgstab_state* states;  ///< states by right-hand side
  std::int32_t count, rhs;
  two_sums* partials;
};

namespace {

ONEHOP_INLINE two_sums times(two_sums a, two_sums b) {
  return {a.first * b.first - a.second * b.second, a.first * b.second + a.second * b.first};
}
ONEHOP_INLINE double size2(two_sums a) { return a.first * a.first + a.second * a.second; }
ONEHOP_INLINE two_sums ratio(two_sums a, two_sums b) {
  const two_sums product = times(a, {b.first, -b.second});
  return {product.first / size2(b), product.second / size2(b)};
}

/// This kernel runs between v = S p and s.
struct bicgstab_begin {
  bicgstab_state* states;

  ONEHOP_INLINE two_sums operator()(std::int32_t n, std::int32_t) const {
    bicgstab_state& s = states[n];
    if (begins(s)) s.alpha = ratio(s.rho, s.r0_v);
    return {0, 0};
  }
};

/// This kernel runs between t = S s and the step.
struct bicgstab_middle {
  bicgstab_state* states;

  ONEHOP_INLINE two_sums operator()(std::int32_t n, std::int32_t) const {
    bicgstab_state& s = states[n];
    if (s.active == 0) return {0, 0};
    s.omega = {0, 0};
    s.beta = {0, 0};
    if (s.t.first != 0) s.omega = {s.t_s.first / s.t.first, s.t_s.second / s.t.first};
    const two_sums change = times(s.omega, s.r0_t);
    const two_sums rho = {s.r0_s.first - change.first, s.r0_s.second - change.second};
    if (size2(s.omega) != 0) s.beta = times(ratio(rho, s.rho), ratio(s.alpha, s.omega));
    s.rho = rho;
    return {0, 0};
  }
};

/// This kernel runs after the step.
struct bicgstab_end {
  bicgstab_state* states;

  ONEHOP_INLINE two_sums operator()(std::int32_t n, std::int32_t) const {
    bicgstab_state& s = states[n];
    if (s.active == 0) return {0, 0};
    ends(s, s.r.first);
    const bool lost = has_lost_all_digits(std::sqrt(size2(s.rho)), s.r0_norm, s.residual);
    if (size2(s.omega) == 0 || lost) s.gave_up = 1;
    return {0, 0};
  }
};

}  // namespace
}  // namespace onehop::device
