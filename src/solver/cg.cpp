#include "base/text.hpp"
#include "solver/krylov.hpp"

#include <onehop/error.hpp>

#include <cmath>

namespace onehop {
namespace {

krylov_result cg_hermitian(even_odd_operator& op, field_algebra& algebra, lane_field& x,
                           lane_field& r, const krylov_limits& limits) {
  lane_field p = op.make_field(r.parity());
  lane_field q = op.make_field(r.parity());
  p.copy_from(r);
  double rho = algebra.norm2(r);
  krylov_result result{0, std::sqrt(rho)};
  refresh_watch watch(limits, result.residual);
  while (result.residual > limits.target && result.iterations < limits.max_iterations &&
         !watch.stuck()) {
    op.schur(q, p, false, algebra.room_for_dots());
    const double alpha = rho / algebra.total(algebra.left_dots(q));
    double rho_next = algebra.total(algebra.cg_step(x, alpha, p, r, q));
    if (watch.due(std::sqrt(rho_next))) rho_next = watch.refresh(x, r);
    algebra.xpay(p, rho_next / rho, r);
    rho = rho_next;
    result = {result.iterations + 1, std::sqrt(rho)};
    require_finite(result.residual, "residual of CG", result.iterations);
    if (limits.progress) limits.progress(result.iterations, result.residual);
  }
  return result;
}

krylov_result cg_normal(even_odd_operator& op, field_algebra& algebra, lane_field& x, lane_field& r,
                        const krylov_limits& limits) {
  lane_field p = op.make_field(r.parity());
  lane_field q = op.make_field(r.parity());
  lane_field s = op.make_field(r.parity());
  op.schur(s, r, true);
  p.copy_from(s);
  auto [residual2, gamma] = algebra.norms2(r, s);
  krylov_result result{0, std::sqrt(residual2)};
  refresh_watch watch(limits, result.residual);
  while (result.residual > limits.target && result.iterations < limits.max_iterations &&
         !watch.stuck()) {
    op.schur(q, p, false, algebra.room_for_norms());
    const double alpha = gamma / algebra.total(algebra.left_norms(q));
    const site_sum residual = algebra.cg_step(x, alpha, p, r, q);
    op.schur(s, r, true, algebra.room_for_norms());
    auto norms = algebra.total(residual, algebra.left_norms(s));
    if (watch.due(std::sqrt(norms.first))) {
      norms.first = watch.refresh(x, r);
      op.schur(s, r, true, algebra.room_for_norms());
      norms.second = algebra.total(algebra.left_norms(s));
    }
    algebra.xpay(p, norms.second / gamma, s);
    gamma = norms.second;
    result = {result.iterations + 1, std::sqrt(norms.first)};
    require_finite(result.residual, "residual of CG", result.iterations);
    if (limits.progress) limits.progress(result.iterations, result.residual);
  }
  return result;
}

}  // namespace

void require_finite(double value, const char* what, int iteration) {
  if (std::isfinite(value)) return;
  throw numeric_error(text("the ", what, " is ", value, " after ", iteration,
                           " iterations: the system is singular or overflows; check the mass and "
                           "the links"));
}

krylov_result conjugate_gradient(even_odd_operator& op, field_algebra& algebra, lane_field& x,
                                 lane_field& r, const krylov_limits& limits) {
  return op.hermitian() ? cg_hermitian(op, algebra, x, r, limits)
                        : cg_normal(op, algebra, x, r, limits);
}

}  // namespace onehop
