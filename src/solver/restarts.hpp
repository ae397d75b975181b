#pragma once
/// These classes decide when a solve starts again from its true residual.

#include "solver/krylov.hpp"

#include <onehop/solve_report.hpp>
#include <onehop/solver_options.hpp>

#include <limits>

namespace onehop {

/// The residual of a solver's recurrence drifts from b - S x by rounding, so only a recomputed
/// residual counts as convergence; otherwise the solver restarts from it, as long as that gains at
/// least a factor of two. Each right-hand side has its own `restarts`.
class restarts {
 public:
  /// Returns whether the solver is to run again. `norm` is the recomputed |b - S x|; `report` has
  /// the iterations so far and receives whether the solve has converged. Throws numeric_error for a
  /// norm that is not finite.
  bool wanted(double norm, double source_norm, const solve_options& options, solve_report& report) {
    require_finite(norm / source_norm, "recomputed residual", report.iterations);
    report.converged = norm <= options.tolerance * source_norm;
    const bool stuck = norm > 0.5 * previous_;
    previous_ = norm;
    return !report.converged && !stuck && report.iterations < options.max_iterations;
  }

 private:
  double previous_ = std::numeric_limits<double>::infinity();
};

}  // namespace onehop
