#pragma once
/// Multi-shift CG solves (M^+ M + shift) x = b for many shifts in one Krylov space.

#include "solver/krylov.hpp"
#include "solver/normal_operator.hpp"

#include <functional>
#include <span>
#include <vector>

namespace onehop {

struct shift_limits {
  double target = 0;  ///< the solver stops when |b - (M^+ M + shift) x| is at most this
  int max_iterations = 0;
  /// This is called after each iteration with its number and the residual of the smallest shift.
  std::function<void(int iteration, double residual)> progress;
};

/// Solves by multi-shift CG (Jegerlehner, hep-lat/9612014): the residual of every shift is a
/// multiple of that of the smallest shift, so that an iteration takes one application of the
/// operator for all. x[k], zero on entry, belongs to shifts[k]; a shift stops when its own residual
/// is small enough. M^+ M + the smallest shift must be positive. With one shift it is CG.
krylov_results multi_shift_cg(normal_operator& a, const halves& b, std::span<const double> shifts,
                              std::vector<halves>& x, const shift_limits& limits);

}  // namespace onehop
