#pragma once
/// The Krylov solvers solve the even/odd preconditioned system S x = b for several right-hand sides
/// at once.

#include "dirac/device/iteration_state.hpp"
#include "dirac/even_odd_operator.hpp"
#include "solver/field_algebra.hpp"

#include <onehop/solver_options.hpp>

#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace onehop {

struct krylov_limits {
  struct rhs_limit {
    double target = 0;       ///< the solver stops when |b - S x| is at most this
    int max_iterations = 0;  ///< most iterations in this call
  };
  std::vector<rhs_limit> rhs;
  /// Returns the state of a right-hand side that starts with this residual.
  iteration_state first_state(std::size_t number, double residual) const {
    const rhs_limit& limit = rhs[number];
    return iteration_state::from(residual, limit.target, limit.max_iterations, rule);
  }
  /// This is called after each iteration with the right-hand side that has farthest to go, the
  /// number of the iteration in this call, and |b - S x|.
  std::function<void(int rhs, int iteration, double residual)> progress;
  /// A solver in a coarse precision calls this for right-hand sides due for an update by `rule`,
  /// and when they seem to have reached the target. The call adds their x to a finer solution, sets
  /// x to zero and r to the recomputed residual, and returns |r|^2. The solver keeps its
  /// directions, so that no iterations are lost to a restart.
  struct update_call {
    std::span<const int> rhs;
    lane_field& x;
    std::span<const int> x_places;  ///< places in x of `rhs`
    lane_field& r;
    std::span<const int> r_places;
  };
  std::function<rhs_values(const update_call&)> update;
  update_rule rule;
};

struct krylov_result {
  int iterations = 0;
  double residual = 0;    ///< |b - S x| of the recurrence
  int updates = 0;        ///< number of reliable updates
  bool computed = false;  ///< an update computed the residual after the last iteration
};
using krylov_results = std::vector<krylov_result>;  ///< result by right-hand side

inline krylov_result result_of(const iteration_state& state) noexcept {
  return {state.iterations, state.residual, state.updates.count(), state.updates.is_fresh()};
}
krylov_results results_of(std::span<const iteration_state> states);
/// Throws numeric_error, naming `what`, unless `value` is finite.
void require_finite(double value, const char* what, int iteration);
/// Calls limits.progress for the right-hand side with the farthest to go among these, whose states
/// are state(number). Throws numeric_error, naming `residual`, if one is not finite.
template <class State>
void tell_progress(const krylov_limits& limits, std::span<const int> numbers, const State& state,
                   const char* residual) {
  int farthest = -1;
  double farthest_distance = -std::numeric_limits<double>::infinity();
  for (const int number : numbers) {
    const iteration_state& now = state(number);
    require_finite(now.residual, residual, now.iterations);
    const double distance = now.residual / now.target;
    if (distance > farthest_distance) {
      farthest = number;
      farthest_distance = distance;
    }
  }
  if (!limits.progress || farthest < 0) return;
  limits.progress(farthest, state(farthest).iterations, state(farthest).residual);
}

/// Solves by CG on the normal equations S^+ S x = S^+ b in the form that carries r = b - S x itself
/// (Hestenes and Stiefel 1952, section 10), so that the residual of S decides when to stop. If S is
/// hermitian positive, CG is applied to S directly. An iteration takes two reductions.
///
/// On entry `r` is b - S x; on return it has no right-hand sides left. They advance in lockstep,
/// share the hops and the reductions, and stop one by one; each has the same bits as alone. Throws
/// numeric_error if a number is not finite.
krylov_results conjugate_gradient(even_odd_operator& op, field_algebra& algebra, lane_field& x,
                                  lane_field& r, const krylov_limits& limits);

/// Solves by BiCGStab (van der Vorst 1992), with <r0, r> and |r|^2 of the next iteration expressed
/// by numbers that omega needs anyway, which saves one of three reductions. The conventions are
/// those of conjugate_gradient. Right-hand sides whose recurrence breaks down return early, to be
/// restarted.
krylov_results bicgstab(even_odd_operator& op, field_algebra& algebra, lane_field& x, lane_field& r,
                        const krylov_limits& limits);

/// Solves the equations of conjugate_gradient, by the same conventions, with pipelined CG (Ghysels
/// and Vanroose, Parallel Computing 40, 224 (2014), without preconditioner): one reduction per
/// iteration, in progress while the operator is applied. Its long recurrences drift, so
/// limits.update is needed: it replaces the residual, and the recurrences are restarted from it and
/// the direction.
krylov_results pipelined_cg(even_odd_operator& op, field_algebra& algebra, lane_field& x,
                            lane_field& r, const krylov_limits& limits);

/// Solves by block CG (O'Leary 1980), as block_recurrence says: right-hand sides also search each
/// other's directions, so that they need fewer iterations together than alone. They continue
/// together until the last one is done; the bits of each depend on the others. At most
/// most_mixed_rhs of them are allowed, and none in half precision. limits.update is called for all
/// at once. An iteration takes two reductions.
krylov_results block_cg(even_odd_operator& op, field_algebra& algebra, lane_field& x, lane_field& r,
                        const krylov_limits& limits);

/// Returns how many fields a solver needs besides x and r if no right-hand side ends before the
/// others. This many are allocated before a solve; another number would only cost time during it.
int fields_of(solver_kind solver, bool hermitian) noexcept;

}  // namespace onehop
