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
  explicit refresh_watch(double residual) : residuals_(residual), fallen_to_(residual) {}

  /// To be asked once an iteration. `limits` has `refresh_at`, `refresh_at_sum` and
  /// `refresh_after`. `gradient` is what a solver carries along: the residual itself, or S^+ times
  /// it where the residual is only what is left of it after all gains, and drowns in their rounding
  /// when they have taken most of it. Where the gradient has fallen so far, the residual has about,
  /// whatever the gains add up to.
  bool due(double residual, double gradient, double target, const krylov_limits& limits) {
    ++iterations_;
    ++since_;
    residuals_.add(residual);
    gradients_.add(gradient);
    if (residual <= 0.5 * fallen_to_) {
      fallen_to_ = residual;
      last_fall_ = iterations_;
    }
    return residual <= target || residual <= residuals_.low(limits) ||
           gradient <= gradients_.low(limits) ||
           (limits.refresh_after > 0 && since_ >= limits.refresh_after);
  }
  /// The residual is `norm2` after it was computed anew.
  void refreshed(double norm2) {
    const double residual = std::sqrt(norm2);
    residuals_ = values(residual);
    gradients_ = values();
    since_ = 0;
    fallen_to_ = residual;
    if (residual <= 0.5 * least_) {
      least_ = residual;
      last_fall_ = iterations_;
      gained_ = true;
      in_vain_ = 0;
    } else {
      ++in_vain_;
    }
  }
  /// The residual does not fall any more: four refreshes have not halved it, or, once one has,
  /// twice the iterations until it last was half of what it had been have not halved what is
  /// carried along.
  bool stuck() const noexcept {
    return in_vain_ >= 4 || (gained_ && iterations_ > 2 * last_fall_ + 100);
  }

 private:
  /// Those since the last refresh.
  class values {
   public:
    explicit values(double first = 0) : largest_(first), sum_(first) {}

    void add(double value) {
      largest_ = std::max(largest_, value);
      sum_ += value;
    }
    /// What is low enough for a refresh.
    double low(const krylov_limits& limits) const {
      return std::min(limits.refresh_at * largest_, limits.refresh_at_sum * sum_);
    }

   private:
    double largest_, sum_;
  };

  values residuals_, gradients_;
  double least_ = std::numeric_limits<double>::infinity();  ///< of all refreshed ones
  double fallen_to_;                                        ///< by halves, since the last refresh
  int since_ = 0, iterations_ = 0, last_fall_ = 0, in_vain_ = 0;
  bool gained_ = false;  ///< a refresh has shown half of what it had been
};

}  // namespace onehop
