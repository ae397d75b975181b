#pragma once
/// A krylov_state holds the numbers of a solver's iteration on the device, so that no kernel waits
/// for the host.

#include "dirac/device/iteration_state.hpp"
#include "dirac/device/jobs.hpp"

#include <cmath>

namespace onehop::device {

struct krylov_state : iteration_state {
  /// This is 0 from the iteration that has nothing left to do; kernels then write nothing.
  /// Iterations can therefore be launched ahead while their count stays exact.
  std::int32_t active;
};

namespace {

/// Returns whether an iteration begins.
ONEHOP_INLINE bool begins(krylov_state& s) {
  s.active = s.is_going() ? 1 : 0;
  return s.active != 0;
}

/// Ends an iteration that has produced this |r|^2.
ONEHOP_INLINE void ends(krylov_state& s, double residual2) {
  s.residual = std::sqrt(residual2);
  ++s.iterations;
  if (s.rule.fall == 0) return;
  s.update_due = s.updates.due(s.residual, s.residual, s.target, s.rule) ? 1 : 0;
}

}  // namespace
}  // namespace onehop::device
