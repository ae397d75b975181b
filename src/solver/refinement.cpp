#include "solver/refinement.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace onehop {
namespace {

/// Returns whether rounding grows along the recurrence, as along the long ones of pipelined CG and
/// the conjugate blocks of block CG.
bool amplifies(solver_kind solver) {
  return solver == solver_kind::pipelined_cg || solver == solver_kind::block_cg;
}

bool all_meet(const rhs_values& norms2, const krylov_limits& limits) {
  for (std::size_t k = 0; k < norms2.size(); ++k) {
    if (!(std::sqrt(norms2[k]) <= limits.columns[k].target)) return false;
  }
  return true;
}

}  // namespace

update_rule update_rule_of(field_precision coarse, solver_kind solver) {
  // Between two updates the residual falls far enough that they cost little, and not so far that it
  // drowns in the rounding of the coarse precision.
  update_rule rule;
  rule.fall = 0.1;
  if (coarse == field_precision::double_) {
    rule.fall = 1e-4;
  } else if (coarse == field_precision::single && amplifies(solver)) {
    rule.fall = 0.02;
  } else if (coarse == field_precision::single) {
    // Each iteration leaves its rounding, u = 2^-24 times the residual then, in the present one.
    // Until that has become about sqrt(u) of it, little is lost (van der Vorst and Ye, SIAM J. Sci.
    // Comput. 22, 835 (2000)): the residual may fall far where it falls fast, and less far where it
    // falls slowly, as for light quarks. With 2 sqrt(u) a staggered solve of mass 0.007 on 8^4
    // takes 6 updates and as many iterations as with 8 updates, after falls to 0.03.
    rule.fall_of_sum = 2 * std::exp2(-12);
  }
  // The recurrences of pipelined CG in a coarse precision drift from what they stand for after some
  // tens of iterations, however little the residual fell meanwhile.
  if (solver == solver_kind::pipelined_cg && coarse != field_precision::double_) rule.every = 24;
  return rule;
}

refinement::refinement(solver_level& fine, solver_level& coarse, int columns)
    : fine_(fine),
      coarse_(coarse),
      conversion_(fine.layout, coarse.layout),
      every_(columns),
      x_part_(fine.op.make_scratch(even_odd_operator::solved, columns)),
      b_part_(fine.op.make_scratch(even_odd_operator::solved, columns)),
      coarse_x_(coarse.op.make_field(even_odd_operator::solved, columns)),
      coarse_r_(coarse.op.make_field(even_odd_operator::solved, columns)) {
  std::iota(every_.begin(), every_.end(), 0);
}

void refinement::convert(const lane_conversion::job& what) {
  thread_team& team = coarse_.op.team();
  team.run([&](int thread) {
    const auto share = team.share(conversion_.narrow_vectors(what.from->parity()), thread);
    conversion_.convert(what, share.begin, share.end);
  });
}

rhs_values refinement::update(const krylov_limits::update_call& call, lane_field& x, lane_field& r,
                              const lane_field& b) {
  const std::size_t count = call.columns.size();
  convert({&call.x, call.x_places, &x, call.columns, true});
  call.x.set_zero(call.x_places, coarse_.op.team());
  r.reshape(static_cast<int>(count));
  rhs_values norms2;
  if (r.rhs() == x.rhs()) {
    norms2 = fine_.residual(r, b, x);
  } else {
    x_part_.take(x, call.columns);
    b_part_.take(b, call.columns);
    norms2 = fine_.residual(r, b_part_, x_part_);
  }
  convert({&r, std::span(every_).first(count), &call.r, call.r_places});
  return norms2;
}

krylov_results refinement::solve(solver_kind solver, lane_field& x, lane_field& r,
                                 const lane_field& b, krylov_limits limits, rhs_values& norms2) {
  limits.rule = update_rule_of(coarse_.op.kernels().kind, solver);
  rhs_values updated(x.rhs(), std::numeric_limits<double>::infinity());
  limits.update = [&](const krylov_limits::update_call& call) {
    rhs_values fresh = update(call, x, r, b);
    for (std::size_t k = 0; k < fresh.size(); ++k) updated[call.columns[k]] = fresh[k];
    return fresh;
  };
  const std::span<const int> every = std::span(every_).first(x.rhs());
  coarse_x_.reshape(x.rhs());
  coarse_x_.set_zero(coarse_.op.team());
  coarse_r_.reshape(x.rhs());
  convert({&r, every, &coarse_r_, every});
  krylov_results results = coarse_.run(solver, coarse_x_, coarse_r_, limits);
  // Where a right-hand side ended with an update, nothing was found since, and its residual is
  // known.
  bool known = true;
  for (int k = 0; k < x.rhs(); ++k) known &= results[k].residual == std::sqrt(updated[k]);
  if (known && all_meet(updated, limits)) {
    norms2 = std::move(updated);
    return results;
  }
  convert({&coarse_x_, every, &x, every, true});
  r.reshape(x.rhs());
  norms2 = fine_.residual(r, b, x);
  return results;
}

}  // namespace onehop
