#include "solver/linear_system.hpp"

#include "solver/restarts.hpp"

#include <cmath>

namespace onehop {
namespace {

/// Returns whether rounding grows along the recurrence, as in the long ones of pipelined CG and the
/// conjugate blocks of block CG, so that its residual drifts from the true one even in the
/// precision of the solution.
bool drifts(solver_kind solver) {
  return solver == solver_kind::pipelined_cg || solver == solver_kind::block_cg;
}

}  // namespace

bool has_coarse(precision wanted) {
  return wanted == precision::half || wanted == precision::mixed;
}

bool iterates_coarsely(const solve_options& options) {
  const bool gains =
      options.solver != solver_kind::block_cg || !is_staggered(kind_of(options.dirac));
  return has_coarse(options.precision) && gains;
}

field_precision coarse_storage(precision wanted) {
  return wanted == precision::half ? field_precision::half : field_precision::single;
}

field_precision fine_storage(precision wanted) {
  const bool twofold = wanted == precision::double_ || wanted == precision::mixed;
  return twofold ? field_precision::double_ : field_precision::single;
}

int fine_reals(const solve_options& options) {
  return has_coarse(options.precision) ? 18 : options.recon;
}

update_rule update_rule_of(const solve_options& options) {
  update_rule rule;
  const bool coarsely = iterates_coarsely(options);
  if (!coarsely && !drifts(options.solver)) return rule;
  const field_precision iterating =
      coarsely ? coarse_storage(options.precision) : fine_storage(options.precision);
  // Between two updates the residual falls far enough for them to cost little, but not so far that
  // it is lost in the rounding of the coarse precision.
  rule.fall = 0.1;
  if (iterating == field_precision::double_) {
    rule.fall = 1e-4;
  } else if (iterating == field_precision::single && drifts(options.solver)) {
    rule.fall = 0.02;
  } else if (iterating == field_precision::single) {
    // Each iteration leaves a rounding error in the residual, u = 2^-24 times its size at that
    // time. Until the sum of these is about sqrt(u) of the present residual, little is lost (van
    // der Vorst and Ye, SIAM J. Sci. Comput. 22, 835 (2000)). The residual may thus fall far where
    // it falls fast, and less far where it falls slowly, as for light quarks. With 2 sqrt(u) a
    // staggered solve of mass 0.007 on 8^4 takes 6 updates and as many iterations as with 8
    // updates, after falls to 0.03.
    rule.fall_of_sum = 2 * std::exp2(-12);
  }
  // In a coarse precision, the recurrences of pipelined CG drift from the quantities they represent
  // after some tens of iterations, however little the residual has fallen meanwhile.
  if (options.solver == solver_kind::pipelined_cg && iterating != field_precision::double_) {
    rule.every = 24;
  }
  return rule;
}

krylov_limits linear_system::limits_of(const rhs_values& source_norms,
                                       const std::vector<solve_report>& reports, int first) const {
  krylov_limits limits;
  limits.rule = update_rule_of(options_);
  // The last digits of a residual recomputed in single precision are rounding. It is also the
  // residual of one parity only: rounding on the sites of the other parity adds to it, here about
  // 3e-6 of a source.
  const bool blurred = options_.precision == precision::single;
  const double goal = (blurred ? 0.97 : 1.0) * options_.tolerance;
  for (std::size_t k = 0; k < reports.size(); ++k) {
    limits.rhs.push_back({goal * source_norms[k], options_.max_iterations - reports[k].iterations});
  }
  if (options_.progress) {
    limits.progress = [&, first](int number, int iteration, double residual) {
      options_.progress({reports[number].iterations + iteration, residual / source_norms[number],
                         first + number});
    };
  }
  return limits;
}

// If each right-hand side ended with an update that met its target, nothing was found since, and
// its residual is known.
rhs_values linear_system::true_norms(std::span<const int> numbers, const krylov_results& results,
                                     const krylov_limits& limits) {
  rhs_values norms;
  for (std::size_t place = 0; place < numbers.size(); ++place) {
    const krylov_result& result = results[place];
    if (!result.computed || result.residual > limits.rhs[numbers[place]].target) {
      return finish(numbers);
    }
    norms.push_back(result.residual);
  }
  return norms;
}

std::vector<solve_report> linear_system::solve(field sources, solution solutions, int first) {
  prepare_workspace();
  const rhs_values source_norms = load(sources);
  std::vector<solve_report> reports(source_norms.size());
  std::vector<restarts> again(source_norms.size());
  std::vector<int> open;
  for (std::size_t k = 0; k < reports.size(); ++k) {
    require_finite(source_norms[k], "norm of the source", 0);
    reports[k].converged = source_norms[k] == 0;
    if (!reports[k].converged) open.push_back(static_cast<int>(k));
  }
  while (!open.empty()) {
    const krylov_limits limits = limits_of(source_norms, reports, first);
    const krylov_results results = iterate(open, limits);
    const rhs_values norms = true_norms(open, results, limits);
    std::vector<int> still_open;
    for (std::size_t place = 0; place < open.size(); ++place) {
      const int number = open[place];
      solve_report& report = reports[number];
      report.iterations += results[place].iterations;
      report.reliable_updates += results[place].updates;
      report.residual_iterated = results[place].residual / source_norms[number];
      if (again[number].wanted(norms[place], source_norms[number], options_, report)) {
        still_open.push_back(number);
      }
    }
    open = std::move(still_open);
  }
  store(solutions);
  return reports;
}

}  // namespace onehop
