#include "solver/krylov.hpp"

#include <cmath>
#include <limits>

namespace onehop {
namespace {

/// <r0, r> has lost all its digits: the recurrence carries no information any more.
bool broke_down(std::complex<double> rho, double r0_norm, double r_norm) {
  return std::abs(rho) <= std::numeric_limits<double>::epsilon() * r0_norm * r_norm * 1e-4;
}

}  // namespace

krylov_result bicgstab(even_odd_operator& op, field_algebra& algebra, lane_field& x, lane_field& r,
                       const krylov_limits& limits) {
  lane_field r0 = op.make_field(r.parity());
  lane_field p = op.make_field(r.parity());
  lane_field v = op.make_field(r.parity());
  lane_field t = op.make_field(r.parity());
  r0.copy_from(r);
  p.copy_from(r);
  std::complex<double> rho = algebra.norm2(r);
  const double r0_norm = std::sqrt(rho.real());
  krylov_result result{0, r0_norm};
  refresh_watch watch(limits, r0_norm);
  while (result.residual > limits.target && result.iterations < limits.max_iterations &&
         !watch.stuck()) {
    op.schur(v, p);
    const std::complex<double> alpha = rho / algebra.dot(r0, v);
    algebra.axpy(r, -alpha, v);
    op.schur(t, r);
    const auto [tr, tt] = algebra.dot_and_norm2(t, r, t);
    const std::complex<double> omega = tt == 0.0 ? 0.0 : tr / tt;
    algebra.axpy(x, alpha, p);
    algebra.axpy(x, omega, r);
    algebra.axpy(r, -omega, t);
    auto [rho_next, r_norm2] = algebra.dot_and_norm2(r0, r, r);
    if (watch.due(std::sqrt(r_norm2))) {
      r_norm2 = watch.refresh(x, r);
      rho_next = algebra.dot(r0, r);
    }
    result = {result.iterations + 1, std::sqrt(r_norm2)};
    require_finite(result.residual, "residual of BiCGStab", result.iterations);
    if (limits.progress) limits.progress(result.iterations, result.residual);
    if (broke_down(rho_next, r0_norm, result.residual) || omega == 0.0) break;
    algebra.axpy(p, -omega, v);
    algebra.xpay(p, rho_next / rho * (alpha / omega), r);
    rho = rho_next;
  }
  return result;
}

}  // namespace onehop
