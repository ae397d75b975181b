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
      : limits_(limits), results_(norms2.size()) {
    for (const double norm2 : norms2) updates_.emplace_back(std::sqrt(norm2));
    note(norms2);
  }

  const krylov_results& results() const noexcept { return results_; }
  bool done() const {
    for (std::size_t k = 0; k < results_.size(); ++k) {
      if (results_[k].iterations >= limits_.columns[k].max_iterations) return true;
    }
    const auto ended = [this](std::size_t k) {
      return results_[k].residual <= limits_.columns[k].target || updates_[k].stuck();
    };
    for (std::size_t k = 0; k < results_.size(); ++k) {
      if (!ended(k)) return false;
    }
    return true;
  }
  /// Returns whether an update of all columns is due; called once an iteration.
  bool due(const rhs_values& norms2, const rhs_values& gradients2) {
    bool all = static_cast<bool>(limits_.update);
    for (std::size_t k = 0; k < updates_.size(); ++k) {
      all &= updates_[k].due(std::sqrt(norms2[k]), std::sqrt(gradients2[k]),
                             limits_.columns[k].target, limits_.rule);
    }
    return all;
  }
  rhs_values update(lane_field& x, lane_field& r) {
    std::vector<int> every(results_.size());
    std::iota(every.begin(), every.end(), 0);
    rhs_values norms2 = limits_.update({every, x, every, r, every});
    for (std::size_t k = 0; k < norms2.size(); ++k) {
      updates_[k].updated(std::sqrt(norms2[k]));
      results_[k].updates = updates_[k].count();
    }
    return norms2;
  }
  /// Ends an iteration, and counts it for each column.
  void advance(const rhs_values& norms2) {
    for (krylov_result& result : results_) ++result.iterations;
    note(norms2);
    if (limits_.progress) {
      const std::size_t last = farthest();
      limits_.progress(static_cast<int>(last), results_[last].iterations, results_[last].residual);
    }
  }

 private:
  void note(const rhs_values& norms2) {
    for (std::size_t k = 0; k < norms2.size(); ++k) {
      results_[k].residual = std::sqrt(norms2[k]);
      require_finite(results_[k].residual, "residual of block CG", results_[k].iterations);
    }
  }
  std::size_t farthest() const {
    std::size_t last = 0;
    const auto distance = [this](std::size_t k) {
      return results_[k].residual / limits_.columns[k].target;
    };
    for (std::size_t k = 1; k < results_.size(); ++k) {
      if (distance(k) > distance(last)) last = k;
    }
    return last;
  }

  const krylov_limits& limits_;
  krylov_results results_;
  std::vector<reliable_updates> updates_;
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
