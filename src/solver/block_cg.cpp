#include <cmath>

#include "solver/block_recurrence.hpp"
#include "solver/krylov.hpp"
#include "solver/krylov_batch.hpp"

namespace onehop {

krylov_results block_cg(even_odd_operator& op, field_algebra& algebra, lane_field& x, lane_field& r,
                        const krylov_limits& limits) {
  constexpr const char* name = "residual of block CG";
  rhs_values norms2 = algebra.norms(r);
  for (const double norm2 : norms2) require_finite(std::sqrt(norm2), name, 0);
  krylov_batch batch(op.layout(), x, limits, norms2);
  block_recurrence recurrence(op, algebra, r);
  while (!batch.done_together() && !recurrence.empty()) {
    recurrence.step(x, norms2);
    const std::vector<int> due = batch.due(norms2, recurrence.gradients2());
    if (due.size() == norms2.size()) {
      batch.update(due, r, norms2);
      recurrence.restart(r);
    } else {
      recurrence.update_directions();
    }
    batch.note(norms2, name);
  }
  return batch.results();
}

}  // namespace onehop
