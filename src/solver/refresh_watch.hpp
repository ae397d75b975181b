#pragma once
/// When a solver in coarse numbers computes its residual anew.

#include <cmath>
#include <limits>

namespace onehop {

/// Decides when to refresh, and when refreshing leads nowhere.
class refresh_watch {
 public:
  explicit refresh_watch(double residual) : largest_(residual) {}

  /// To be asked once an iteration. `refresh_at`: see krylov_limits.
  bool due(double residual, double target, double refresh_at) {
    ++iterations_;
    largest_ = residual > largest_ ? residual : largest_;
    return residual <= target || residual <= refresh_at * largest_;
  }
  /// The residual is `norm2` after it was computed anew.
  void refreshed(double norm2) {
    largest_ = std::sqrt(norm2);
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
  double largest_;
  double least_ = std::numeric_limits<double>::infinity();  ///< of all refreshed ones
  int iterations_ = 0, last_gain_ = 0, in_vain_ = 0;
};

}  // namespace onehop
