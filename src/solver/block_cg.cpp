#include "solver/block_recurrence.hpp"
#include "solver/krylov.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace onehop {
namespace {

/// A block_watch says how far the columns of a block are, which go on until the last of them is
/// done.
class block_watch {
 public:
  block_watch(const krylov_limits& limits, const rhs_values& norms2)
      : limits_(limits), every_(norms2.size()) {
    std::iota(every_.begin(), every_.end(), 0);
    for (const double norm2 : norms2) {
      states_.push_back(limits.first_state(states_.size(), std::sqrt(norm2)));
      require_finite(states_.back().residual, name, 0);
    }
  }

  krylov_results results() const { return results_of(states_); }
  bool done() const {
    const auto is_going = [](const iteration_state& state) { return state.is_going(); };
    const auto has_no_more = [](const iteration_state& state) {
      return state.iterations >= state.limit;
    };
    return std::ranges::any_of(states_, has_no_more) || std::ranges::none_of(states_, is_going);
  }
  /// Returns whether an update of all columns is due; called once an iteration.
  bool due(const rhs_values& norms2, const rhs_values& gradients2) {
    bool all = static_cast<bool>(limits_.update);
    for (std::size_t k = 0; k < states_.size(); ++k) {
      all &= states_[k].updates.due(std::sqrt(norms2[k]), std::sqrt(gradients2[k]),
                                    states_[k].target, limits_.rule);
    }
    return all;
  }
  rhs_values update(lane_field& x, lane_field& r) {
    rhs_values norms2 = limits_.update({every_, x, every_, r, every_});
    for (std::size_t k = 0; k < norms2.size(); ++k) states_[k].update(std::sqrt(norms2[k]));
    return norms2;
  }
  /// Ends an iteration, and counts it for each column.
  void advance(const rhs_values& norms2) {
    for (std::size_t k = 0; k < norms2.size(); ++k) {
      ++states_[k].iterations;
      states_[k].residual = std::sqrt(norms2[k]);
    }
    const auto state = [this](int number) -> const iteration_state& { return states_[number]; };
    tell_progress(limits_, every_, state, name);
  }

 private:
  static constexpr const char* name = "residual of block CG";

  const krylov_limits& limits_;
  std::vector<int> every_;  ///< numbers of all columns
  std::vector<iteration_state> states_;
};

}  // namespace

krylov_results block_cg(even_odd_operator& op, field_algebra& algebra, lane_field& x, lane_field& r,
                        const krylov_limits& limits) {
  rhs_values norms2 = algebra.norms(r);
  block_watch watch(limits, norms2);
  block_recurrence recurrence(op, algebra, r);
  while (!watch.done() && !recurrence.empty()) {
    recurrence.step(x, norms2);
    if (watch.due(norms2, recurrence.gradients2())) {
      norms2 = watch.update(x, r);
      recurrence.restart(r);
    } else {
      recurrence.turn();
    }
    watch.advance(norms2);
  }
  return watch.results();
}

}  // namespace onehop
