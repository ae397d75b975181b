#pragma once
/// One rule decides, on the host and on a device, when a solver in coarse precision recomputes its
/// residual (reliable updates: Sleijpen and van der Vorst, Computing 56, 141 (1996)).

#include "device/inline.hpp"

#include <cstdint>
#include <limits>

namespace onehop {

struct update_rule {
  /// An update is due when the residual has fallen to `fall` times its largest value since the last
  /// update, and to `fall_of_sum` times the sum of all its values since then. A `fall` of zero
  /// disables updates.
  double fall = 0;
  double fall_of_sum = std::numeric_limits<double>::infinity();
  /// An update is also due after this many iterations without one; 0 disables this limit.
  std::int32_t every = 0;
};

/// reliable_updates counts the updates of one right-hand side, and detects when they make no
/// progress.
class reliable_updates {
 public:
  reliable_updates() = default;
  ONEHOP_INLINE explicit reliable_updates(double residual)
      : residuals_(residual), fallen_to_(residual) {}

  /// Returns whether an update is due; called once per iteration. `gradient` is the number that a
  /// solver's recurrence carries. It is the residual itself, or S^+ times it if the residual is
  /// only the right-hand side minus all gains: such a residual drowns in their rounding once they
  /// have taken most of it. When the gradient has fallen far enough, so has the residual,
  /// approximately, whatever the gains add up to.
  ONEHOP_INLINE bool due(double residual, double gradient, double target, const update_rule& rule) {
    ++iterations_;
    ++since_;
    residuals_.add(residual);
    gradients_.add(gradient);
    if (residual <= 0.5 * fallen_to_) {
      fallen_to_ = residual;
      last_fall_ = iterations_;
    }
    return residual <= target || residual <= residuals_.low(rule) ||
           gradient <= gradients_.low(rule) || (rule.every > 0 && since_ >= rule.every);
  }
  /// Records an update, which computed this `residual`.
  void updated(double residual) {
    ++count_;
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
  /// Returns whether the residual has stopped falling: four updates have not halved it; or, once an
  /// update has halved it, the number of iterations has doubled since the recurrence's value was
  /// last halved.
  ONEHOP_INLINE bool stuck() const noexcept {
    return in_vain_ >= 4 || (gained_ && iterations_ > 2 * last_fall_ + 100);
  }
  int count() const noexcept { return count_; }
  /// Returns whether no iteration has followed the last update.
  bool is_fresh() const noexcept { return count_ > 0 && since_ == 0; }

 private:
  /// values summarises the values since the last update.
  class values {
   public:
    values() = default;
    ONEHOP_INLINE explicit values(double first) : largest_(first), sum_(first) {}

    ONEHOP_INLINE void add(double value) {
      if (value > largest_) largest_ = value;
      sum_ += value;
    }
    /// Returns the value at or below which an update is due.
    ONEHOP_INLINE double low(const update_rule& rule) const {
      const double of_largest = rule.fall * largest_, of_sum = rule.fall_of_sum * sum_;
      return of_sum < of_largest ? of_sum : of_largest;
    }

   private:
    double largest_ = 0, sum_ = 0;
  };

  values residuals_, gradients_;
  double least_ = std::numeric_limits<double>::infinity();  ///< least residual of all updates
  double fallen_to_ = 0;                                    ///< value reached by successive halving
                                                            ///< since the last update
  std::int32_t since_ = 0, iterations_ = 0, last_fall_ = 0, in_vain_ = 0, count_ = 0;
  bool gained_ = false;  ///< an update has halved the residual
};

}  // namespace onehop
