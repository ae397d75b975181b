#pragma once
/// A krylov_batch has the right-hand sides of a solve that are still iterated on, and says what
/// ends each.

#include "solver/krylov.hpp"

#include <initializer_list>
#include <optional>

namespace onehop {

/// Right-hand sides are named by their place among those still iterated on.
class krylov_batch {
 public:
  /// `norms2` is |b - S x|^2 at the start. `x` and `limits` must outlive the batch.
  krylov_batch(const lane_layout& layout, lane_field& x, const krylov_limits& limits,
               const rhs_values& norms2);

  /// Sets aside the x of right-hand sides that have ended and drops them from these fields too.
  /// Returns the former places of those that stay, or nothing where all do.
  std::optional<std::vector<int>> retire(std::initializer_list<lane_field*> fields);
  bool empty() const noexcept { return going_.empty(); }
  /// Returns whether right-hand sides that go on together, until the last of them is done, have
  /// ended: all of them, or one by its limit of iterations. None of them may have retired.
  bool done_together() const;
  krylov_results results() const { return results_of(states_); }

  /// Returns x of the right-hand sides that are still iterated on.
  lane_field& x() noexcept { return rest_ ? *rest_ : *x_; }
  const lane_layout& layout() const noexcept { return *layout_; }

  /// Returns the right-hand sides of which an update is due; called once an iteration.
  /// reliable_updates says what gradients are.
  std::vector<int> due(const rhs_values& norms2, const rhs_values& gradients2);
  std::vector<int> due(const rhs_values& norms2) { return due(norms2, norms2); }
  /// Sets x += alpha p for these right-hand sides, whose alpha becomes zero.
  void step(field_algebra& algebra, std::span<const int> places, rhs_values& alpha,
            const lane_field& p);
  /// Calls limits.update for these right-hand sides: r and |r|^2 become those computed again.
  void update(std::span<const int> places, lane_field& r, rhs_values& norms2);
  /// Calls limits.update for an r that has these right-hand sides at other places.
  void update(std::span<const int> places, lane_field& r, std::span<const int> r_places,
              rhs_values& norms2);
  /// Ends an iteration. Throws numeric_error, naming `solver`, for a value that is not finite.
  void note(const rhs_values& norms2, const char* solver);
  /// Notes that this right-hand side's recurrence cannot go on.
  void give_up(int place) { states_[going_[place]].gave_up = 1; }

 private:
  bool are_all(std::span<const int> places) const { return places.size() == going_.size(); }

  const lane_layout* layout_;
  lane_field* x_;
  const krylov_limits* limits_;
  std::optional<lane_field> rest_;  ///< x of the right-hand sides in going_, once some have ended
  std::vector<int> going_;          ///< numbers of the right-hand sides
  std::vector<iteration_state> states_;
};

}  // namespace onehop
