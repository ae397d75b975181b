#pragma once
/// The numbers of a solver's iteration, kept on the device so that no kernel waits for the host.

#include "dirac/device/jobs.hpp"

namespace onehop::device {

struct krylov_state {
  double residual2;   ///< |r|^2
  double threshold2;  ///< stop when residual2 is at most this
  std::int32_t iterations, limit;
  /// 0 from the iteration on that has nothing left to do: its kernels write nothing. So iterations
  /// can be fired ahead and their number stays exact.
  std::int32_t active;
  std::int32_t gave_up;  ///< the recurrence cannot go on
};

namespace {

/// Whether an iteration begins. A residual that is no number ends it too.
ONEHOP_INLINE bool begins(krylov_state& s) {
  const bool going = s.residual2 > s.threshold2 && s.iterations < s.limit && s.gave_up == 0;
  s.active = going ? 1 : 0;
  return going;
}

}  // namespace
}  // namespace onehop::device
