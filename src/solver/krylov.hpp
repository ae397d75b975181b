#pragma once
/// Krylov solvers for the even/odd preconditioned system S x = b.

#include "dirac/even_odd_operator.hpp"
#include "solver/field_algebra.hpp"

#include <functional>

namespace onehop {

struct krylov_limits {
  double target = 0;       ///< stop when |b - S x| is at most this
  int max_iterations = 0;  ///< in this call
  /// Called after each iteration with its number in this call and |b - S x|.
  std::function<void(int, double)> progress;
};

struct krylov_result {
  int iterations = 0;
  double residual = 0;  ///< |b - S x| as carried along
};

/// CG on the normal equations S^+ S x = S^+ b in the form that carries r = b - S x itself along
/// (Hestenes and Stiefel 1952, section 10), so that the residual of S decides when to stop. Applied
/// to S directly where S is hermitian positive.
///
/// On entry `r` is b - S x; on return it is the residual carried along. Throws numeric_error when a
/// number stops being finite.
krylov_result conjugate_gradient(even_odd_operator& op, field_algebra& algebra, lane_field& x,
                                 lane_field& r, const krylov_limits& limits);

/// BiCGStab (van der Vorst 1992). Same conventions. Returns early, to be restarted, when its
/// recurrence breaks down.
krylov_result bicgstab(even_odd_operator& op, field_algebra& algebra, lane_field& x, lane_field& r,
                       const krylov_limits& limits);

/// Throws numeric_error unless `value` is finite.
void require_finite(double value, const char* what, int iteration);

}  // namespace onehop
