#pragma once
/// When a solver in coarse numbers computes its residual anew.

#include "solver/krylov.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace onehop {

/// Decides when to refresh, and when refreshing leads nowhere.
class refresh_watch {
 public:
  explicit refresh_watch(double residual) : largest_(residual) {}

  /// To be asked once an iteration. `limits` has `refresh_at` and `refresh_after`. `gradient` is
  /// what a solver carries along: the residual itself, or S^+ times it where the residual is only
  /// what is left of it after all gains, and drowns in their rounding when they have taken most of
  /// it. Where the gradient has fallen so far, the residual has about, whatever the gains add up
  /// to.
  bool due(double residual, double gradient, double target, const krylov_limits& limits) {
    ++iterations_;
    ++since_;
    largest_ = std::max(largest_, residual);
    largest_gradient_ = std::max(largest_gradient_, gradient);
    return residual <= target || residual <= limits.refresh_at * largest_ ||
           gradient <= limits.refresh_at * largest_gradient_ ||
           (limits.refresh_after > 0 && since_ >= limits.refresh_after);
  }
  /// The residual is `norm2` after it was computed anew.
  void refreshed(double norm2) {
    largest_ = std::sqrt(norm2);
    largest_gradient_ = 0;
    since_ = 0;
    if (largest_ <= 0.5 * least_) {
      least_ = largest_;
      last_gain_ = iterations_;
      in_vain_ = 0;
    } else {
      ++in_vain_;
    }
  }
  /// The residual does not fall any more: four refreshes, or twice the iterations until then, have
  /// not halved it.
  bool stuck() const noexcept {
    return in_vain_ >= 4 || (last_gain_ > 0 && iterations_ > 2 * last_gain_ + 100);
  }

 private:
  double largest_, largest_gradient_ = 0;                   ///< since the last refresh
  double least_ = std::numeric_limits<double>::infinity();  ///< of all refreshed ones
  int since_ = 0, iterations_ = 0, last_gain_ = 0, in_vain_ = 0;
};

}  // namespace onehop
