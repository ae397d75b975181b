#pragma once
/// Krylov solvers for the even/odd preconditioned system S x = b.

#include "dirac/even_odd_operator.hpp"
#include "solver/field_algebra.hpp"

#include <cmath>
#include <functional>
#include <limits>

namespace onehop {

struct krylov_limits {
  double target = 0;       ///< stop when |b - S x| is at most this
  int max_iterations = 0;  ///< in this call
  /// Called after each iteration with its number in this call and |b - S x|.
  std::function<void(int, double)> progress;
  /// For a solver whose numbers are coarse: called when |b - S x| has fallen to `refresh_at` times
  /// its largest value since the last call, and when it seems to have reached the target. Adds x to
  /// a finer solution, sets x to zero and r to the residual computed anew, and returns |r|^2. The
  /// solver keeps its directions, so that no iterations are lost to a restart (reliable updates:
  /// Sleijpen and van der Vorst, Computing 56, 141 (1996)).
  std::function<double(lane_field& x, lane_field& r)> refresh;
  double refresh_at = 0;
};

/// Decides when to refresh, and when refreshing leads nowhere.
class refresh_watch {
 public:
  refresh_watch(const krylov_limits& limits, double residual)
      : limits_(&limits), largest_(residual) {}

  /// To be asked once an iteration.
  bool due(double residual) {
    ++iterations_;
    largest_ = residual > largest_ ? residual : largest_;
    if (!limits_->refresh) return false;
    return residual <= limits_->target || residual <= limits_->refresh_at * largest_;
  }
  /// Returns |r|^2.
  double refresh(lane_field& x, lane_field& r) {
    const double norm2 = limits_->refresh(x, r);
    largest_ = std::sqrt(norm2);
    if (largest_ <= 0.5 * least_) {
      least_ = largest_;
      last_gain_ = iterations_;
      in_vain_ = 0;
    } else {
      ++in_vain_;
    }
    return norm2;
  }
  /// The residual does not fall any more: four refreshes, or twice the iterations until then, have
  /// not halved it.
  bool stuck() const noexcept {
    return in_vain_ >= 4 || (last_gain_ > 0 && iterations_ > 2 * last_gain_ + 100);
  }

 private:
  const krylov_limits* limits_;
  double largest_;
  double least_ = std::numeric_limits<double>::infinity();  ///< of all refreshed ones
  int iterations_ = 0, last_gain_ = 0, in_vain_ = 0;
};

struct krylov_result {
  int iterations = 0;
  double residual = 0;  ///< |b - S x| as carried along
};

/// CG on the normal equations S^+ S x = S^+ b in the form that carries r = b - S x itself along
/// (Hestenes and Stiefel 1952, section 10), so that the residual of S decides when to stop. Applied
/// to S directly where S is hermitian positive.
///
/// On entry `r` is b - S x; on return it is the residual carried along. Throws numeric_error when a
/// number stops being finite.
krylov_result conjugate_gradient(even_odd_operator& op, field_algebra& algebra, lane_field& x,
                                 lane_field& r, const krylov_limits& limits);

/// BiCGStab (van der Vorst 1992). Same conventions. Returns early, to be restarted, when its
/// recurrence breaks down.
krylov_result bicgstab(even_odd_operator& op, field_algebra& algebra, lane_field& x, lane_field& r,
                       const krylov_limits& limits);

/// Throws numeric_error unless `value` is finite.
void require_finite(double value, const char* what, int iteration);

}  // namespace onehop
