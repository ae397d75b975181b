#include "solver/level.hpp"

#include "lattice/lane_conversion.hpp"

namespace onehop {
namespace {

/// Converts and notes how long it took.
void carry_over(solver_level& noting, const lane_layout& from_layout, const lane_field& from,
                const lane_layout& to_layout, lane_field& to) {
  const context& ctx = from_layout.geometry().context();
  const auto begin = ctx.now();
  thread_team& team = noting.op.team();
  team.run([&](int thread) {
    const auto share = team.share(from.vectors(), thread);
    convert_part(from_layout, from, to_layout, to, share.begin, share.end);
  });
  noting.conversion += ctx.now() - begin;
}

/// How far the residual falls between two corrections: far enough that they cost little, not so far
/// that it drowns in the rounding of coarse numbers, which the long recurrences of pipelined CG and
/// the conjugate blocks of block CG amplify.
double refresh_at(storage coarse, solver_kind solver) {
  if (coarse == storage::fixed16) return 0.1;
  if (coarse == storage::real64) return 1e-4;
  const bool amplifies = solver == solver_kind::pipelined_cg || solver == solver_kind::block_cg;
  return amplifies ? 0.02 : 0.005;
}

/// The recurrences of pipelined CG in coarse numbers leave what they stand for after some tens of
/// iterations, however little the residual fell meanwhile.
int refresh_after(storage coarse, solver_kind solver) {
  return solver == solver_kind::pipelined_cg && coarse != storage::real64 ? 24 : 0;
}

}  // namespace

krylov_results solver_level::run(solver_kind solver, lane_field& x, lane_field& r,
                                 const krylov_limits& limits) {
  switch (solver) {
    case solver_kind::bicgstab:
      return bicgstab(op, algebra, x, r, limits);
    case solver_kind::block_cg:
      return block_cg(op, algebra, x, r, limits);
    case solver_kind::pipelined_cg:
      return pipelined_cg(op, algebra, x, r, limits);
    default:
      return conjugate_gradient(op, algebra, x, r, limits);
  }
}

krylov_results solve_coarse(solver_level& fine, solver_level& coarse, solver_kind solver,
                            lane_field& x, lane_field& r, const lane_field& b,
                            krylov_limits limits) {
  lane_field coarse_x = coarse.op.make_field(x.parity(), x.rhs());
  lane_field coarse_r = coarse.op.make_field(x.parity(), x.rhs());
  carry_over(coarse, fine.layout, r, coarse.layout, coarse_r);
  limits.refresh_at = refresh_at(coarse.op.kernels().kind, solver);
  limits.refresh_after = refresh_after(coarse.op.kernels().kind, solver);
  lane_field work = fine.op.make_field(x.parity(), x.rhs());
  limits.refresh = [&](std::span<const int> columns, lane_field& found, lane_field& residual) {
    work.reshape(static_cast<int>(columns.size()));
    carry_over(coarse, coarse.layout, found, fine.layout, work);
    found.set_zero();
    column_values norms2;
    if (work.rhs() == x.rhs()) {
      fine.algebra.axpy(x, 1.0, work);
      norms2 = fine.residual(work, b, x);
    } else {
      lane_field part = x.pick(fine.layout, columns);
      fine.algebra.axpy(part, 1.0, work);
      x.put(columns, part);
      norms2 = fine.residual(work, b.pick(fine.layout, columns), part);
    }
    carry_over(coarse, fine.layout, work, coarse.layout, residual);
    return norms2;
  };
  krylov_results results = coarse.run(solver, coarse_x, coarse_r, limits);
  carry_over(coarse, coarse.layout, coarse_x, fine.layout, r);
  fine.algebra.axpy(x, 1.0, r);
  return results;
}

}  // namespace onehop
