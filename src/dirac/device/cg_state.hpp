#pragma once
/// A cg_state holds the numbers of a CG iteration.

#include "dirac/device/krylov_state.hpp"

namespace onehop::device {

struct cg_state : krylov_state {
  double gamma;  ///< |S^+ r|^2, or |r|^2 if S is hermitian
  double alpha, beta;
  std::int32_t hermitian;
  two_sums curvature;  ///< |q|^2 and Re <p, q>, q = S p
  two_sums residual;   ///< |r|^2 after the step
  two_sums next;       ///< |S^+ r|^2 after the step
};

namespace {

/// This kernel runs between q = S p and the step along p.
struct cg_begin {
  cg_state* states;

  ONEHOP_INLINE two_sums operator()(std::int32_t n, std::int32_t) const {
    cg_state& s = states[n];
    if (begins(s)) s.alpha = s.gamma / (s.hermitian != 0 ? s.curvature.second : s.curvature.first);
    return {0, 0};
  }
};

/// This kernel runs between the step and the new direction.
struct cg_end {
  cg_state* states;

  ONEHOP_INLINE two_sums operator()(std::int32_t n, std::int32_t) const {
    cg_state& s = states[n];
    if (s.active == 0) return {0, 0};
    const double next = s.hermitian != 0 ? s.residual.first : s.next.first;
    s.beta = next / s.gamma;
    s.gamma = next;
    ends(s, s.residual.first);
    return {0, 0};
  }
};

}  // namespace
}  // namespace onehop::device
