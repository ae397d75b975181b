#pragma once
/// When a solve begins anew from its true residual.

#include "solver/krylov.hpp"

#include <onehop/solve_report.hpp>
#include <onehop/solver_options.hpp>

#include <limits>

namespace onehop {

/// The residual that a solver carries along drifts from b - S x by rounding, so convergence is
/// believed only of the recomputed one; otherwise the solver restarts from it, as long as that
/// gains at least a factor of two. One of these for each right-hand side.
class restarts {
 public:
  /// Whether the solver is to run again. `norm` is |b - S x| computed anew; `report` has the
  /// iterations so far and is told whether the solve has converged. Throws numeric_error for a norm
  /// that is not finite.
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
