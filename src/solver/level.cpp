#include "solver/level.hpp"

namespace onehop {
namespace {

/// Converts and notes how long it took.
void carry_over(solver_level& noting, const lane_layout& from_layout, const lane_field& from,
                const lane_layout& to_layout, lane_field& to) {
  const context& ctx = from_layout.geometry().context();
  const auto begin = ctx.now();
  convert(from_layout, from, to_layout, to);
  noting.conversion += ctx.now() - begin;
}

/// How far the residual falls between two corrections: far enough that they cost little, not so far
/// that it drowns in the rounding of coarse numbers.
double refresh_at(storage coarse) { return coarse == storage::fixed16 ? 0.1 : 0.02; }

}  // namespace

krylov_result solve_coarse(solver_level& fine, solver_level& coarse, solver_kind solver,
                           lane_field& x, lane_field& r, const lane_field& b,
                           krylov_limits limits) {
  lane_field coarse_x = coarse.op.make_field(x.parity());
  lane_field coarse_r = coarse.op.make_field(x.parity());
  lane_field correction = fine.op.make_field(x.parity());
  carry_over(coarse, fine.layout, r, coarse.layout, coarse_r);
  limits.refresh_at = refresh_at(coarse.op.kernels().kind);
  limits.refresh = [&](lane_field& found, lane_field& residual) {
    carry_over(coarse, coarse.layout, found, fine.layout, correction);
    found.set_zero();
    fine.algebra.axpy(x, 1.0, correction);
    const double norm2 = fine.residual(r, b, x);
    carry_over(coarse, fine.layout, r, coarse.layout, residual);
    return norm2;
  };
  const krylov_result result = coarse.run(solver, coarse_x, coarse_r, limits);
  carry_over(coarse, coarse.layout, coarse_x, fine.layout, correction);
  fine.algebra.axpy(x, 1.0, correction);
  return result;
}

}  // namespace onehop
