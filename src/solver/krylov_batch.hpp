#pragma once
/// A krylov_batch holds the right-hand sides of a solve that still iterate, and says what ends each
/// of them.

#include "solver/krylov.hpp"

#include <initializer_list>
#include <optional>

namespace onehop {

/// Right-hand sides are named by their place among those that still iterate.
class krylov_batch {
 public:
  /// `norms2` is |b - S x|^2 at the start. `x` and `limits` must outlive the batch.
  krylov_batch(const lane_layout& layout, lane_field& x, const krylov_limits& limits,
               const rhs_values& norms2);

  /// Stores the x of right-hand sides that have ended and drops them from these fields too. Returns
  /// the former places of those that remain, or nothing if all remain.
  std::optional<std::vector<int>> retire(std::initializer_list<lane_field*> fields);
  bool empty() const noexcept { return going_.empty(); }
  /// For right-hand sides that continue together until the last is done, returns whether they have
  /// ended: either all of them, or one by its iteration limit. None of them may have retired.
  bool done_together() const;
  krylov_results results() const { return results_of(states_); }

  /// Returns x of the right-hand sides that still iterate.
  lane_field& x() noexcept { return rest_ ? *rest_ : *x_; }
  const lane_layout& layout() const noexcept { return *layout_; }

  /// Returns the right-hand sides due for an update; called once per iteration. reliable_updates
  /// defines the gradients.
  std::vector<int> due(const rhs_values& norms2, const rhs_values& gradients2);
  std::vector<int> due(const rhs_values& norms2) { return due(norms2, norms2); }
  /// Sets x += alpha p for these right-hand sides, whose alpha becomes zero.
  void step(field_algebra& algebra, std::span<const int> places, rhs_values& alpha,
            const lane_field& p);
  /// Calls limits.update for these right-hand sides: r and |r|^2 are replaced by recomputed ones.
  void update(std::span<const int> places, lane_field& r, rhs_values& norms2);
  /// Calls limits.update for an r that has these right-hand sides at other places.
  void update(std::span<const int> places, lane_field& r, std::span<const int> r_places,
              rhs_values& norms2);
  /// Ends an iteration. Throws numeric_error, naming `solver`, for a value that is not finite.
  void note(const rhs_values& norms2, const char* solver);
  /// Records that this right-hand side's recurrence cannot continue.
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
