#pragma once
/// An iteration_state says how far a solver has come with one right-hand side. The same rule
/// decides on the host and on a device whether the iteration has ended.

#include "dirac/device/reliable_updates.hpp"

#include <cstdint>
#include <limits>

namespace onehop {

struct iteration_state {
  double residual;  ///< |b - S x|
  double target;    ///< the iteration ends when the residual is at most this
  std::int32_t iterations, limit;
  std::int32_t gave_up;     ///< the recurrence cannot continue
  std::int32_t update_due;  ///< no iteration begins before the residual is recomputed
  update_rule rule;
  reliable_updates updates;

  /// Starts with search directions made from this residual.
  static iteration_state from(double residual, double target, std::int32_t limit,
                              const update_rule& rule) {
    return {residual, target, 0, limit, 0, 0, rule, reliable_updates(residual)};
  }

  /// Returns whether this right-hand side still iterates. A residual that is NaN ends it too.
  ONEHOP_INLINE bool is_going() const noexcept {
    return residual > target && iterations < limit && gave_up == 0 && update_due == 0 &&
           !updates.stuck();
  }
  /// Records that the residual was recomputed.
  void update(double computed) {
    update_due = 0;
    residual = computed;
    updates.updated(computed);
  }
};

/// Returns whether BiCGStab's <r0, r>, with absolute value `rho`, has lost all its digits and four
/// more, so that the recurrence carries no information any more.
ONEHOP_INLINE bool has_lost_all_digits(double rho, double r0_norm, double r_norm) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return rho <= epsilon * r0_norm * r_norm * 1e-4;
}

}  // namespace onehop
