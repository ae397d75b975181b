#pragma once
/// A solve in coarse numbers, with reliable updates in fine ones.

#include "lattice/lane_conversion.hpp"
#include "solver/level.hpp"

#include <span>
#include <vector>

namespace onehop {

/// When a solver in these numbers computes its residual anew.
update_rule update_rule_of(field_precision coarse, solver_kind solver);

class refinement {
 public:
  /// Of at most `columns` columns. Both levels must outlive this; they may be the same.
  refinement(solver_level& fine, solver_level& coarse, int columns);

  /// Adds to `x` what the coarse level finds. On entry `r` is b - S x in fine numbers. On return
  /// `norms2` is |b - S x|^2 computed anew, and so is `r`, unless all columns meet their targets.
  /// Collective.
  krylov_results solve(solver_kind solver, lane_field& x, lane_field& r, const lane_field& b,
                       krylov_limits limits, rhs_values& norms2);

 private:
  void convert(const lane_conversion::job& what);
  /// What krylov_limits::update does; `r` is workspace for b - S x.
  rhs_values update(const krylov_limits::update_call& call, lane_field& x, lane_field& r,
                    const lane_field& b);

  solver_level& fine_;
  solver_level& coarse_;
  lane_conversion conversion_;
  std::vector<int> every_;      ///< column
  lane_field x_part_, b_part_;  ///< of columns that are updated, in fine numbers
  lane_field coarse_x_, coarse_r_;
};

}  // namespace onehop
