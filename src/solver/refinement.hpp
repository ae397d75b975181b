#pragma once
/// A refinement is a solve in a coarse precision, with reliable updates in a fine one.

#include "lattice/lane_conversion.hpp"
#include "solver/level.hpp"

#include <span>
#include <vector>

namespace onehop {

/// Returns the rule by which a solver in this precision computes its residual again.
update_rule update_rule_of(field_precision coarse, solver_kind solver);

class refinement {
 public:
  /// The refinement is for at most `columns` right-hand sides. Both levels must outlive it; they
  /// may be the same.
  refinement(solver_level& fine, solver_level& coarse, int columns);

  /// Adds to `x` what the coarse level finds. On entry `r` is b - S x in the fine precision. On
  /// return `norms2` is |b - S x|^2 computed again, and so is `r`, unless all right-hand sides meet
  /// their targets. Collective.
  krylov_results solve(solver_kind solver, lane_field& x, lane_field& r, const lane_field& b,
                       krylov_limits limits, rhs_values& norms2);

 private:
  void convert(const lane_conversion::job& what);
  /// Does what krylov_limits::update must do; `r` is workspace for b - S x.
  rhs_values update(const krylov_limits::update_call& call, lane_field& x, lane_field& r,
                    const lane_field& b);

  solver_level& fine_;
  solver_level& coarse_;
  lane_conversion conversion_;
  std::vector<int> every_;      ///< numbers of all right-hand sides
  lane_field x_part_, b_part_;  ///< the right-hand sides that are updated, in the fine precision
  lane_field coarse_x_, coarse_r_;
};

}  // namespace onehop
