#pragma once
/// A krylov_state has the numbers of a solver's iteration, kept on the device so that no kernel
/// waits for the host.

#include "dirac/device/jobs.hpp"
#include "dirac/device/reliable_updates.hpp"

#include <cmath>

namespace onehop::device {

struct krylov_state {
  double residual2;   ///< |r|^2
  double threshold2;  ///< the iteration stops when residual2 is at most this
  std::int32_t iterations, limit;
  /// This is 0 from the iteration on that has nothing left to do: its kernels write nothing. So
  /// iterations can be fired ahead and their number stays exact.
  std::int32_t active;
  std::int32_t gave_up;  ///< the recurrence cannot go on
  update_rule rule;
  reliable_updates updates;
  std::int32_t update_due;  ///< set by `rule`: no iteration begins before the residual is computed
                            ///< again
};

namespace {

/// Returns whether this right-hand side is iterated on.
ONEHOP_INLINE bool is_going(const krylov_state& s) {
  return s.residual2 > s.threshold2 && s.iterations < s.limit && s.gave_up == 0 &&
         s.update_due == 0 && !s.updates.stuck();
}

/// Returns whether an iteration begins. A residual that is not a number ends it too.
ONEHOP_INLINE bool begins(krylov_state& s) {
  s.active = is_going(s) ? 1 : 0;
  return s.active != 0;
}

/// Ends an iteration that has left this |r|^2.
ONEHOP_INLINE void ends(krylov_state& s, double residual2) {
  s.residual2 = residual2;
  ++s.iterations;
  if (s.rule.fall == 0) return;
  const double residual = std::sqrt(residual2);
  s.update_due = s.updates.due(residual, residual, std::sqrt(s.threshold2), s.rule) ? 1 : 0;
}

}  // namespace
}  // namespace onehop::device
