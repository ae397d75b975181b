#pragma once
/// A shifted_system has systems M^+ M + shift with one source, solved together and each brought to
/// its tolerance.

#include <complex>
#include <functional>
#include <onehop/solve_report.hpp>
#include <span>
#include <vector>

#include "solver/krylov.hpp"
#include "solver/level.hpp"
#include "solver/normal_operator.hpp"

namespace onehop {

struct shift_limits {
  double target = 0;  ///< the solver stops when |b - (M^+ M + shift) x| is at most this
  int max_iterations = 0;
  /// This is called after each iteration with its number and the residual of the smallest shift.
  std::function<void(int iteration, double residual)> progress;
};

/// Solves (M^+ M + shift) x = b for many shifts in one Krylov space by multi-shift CG (Jegerlehner,
/// hep-lat/9612014): the residual of every shift is a
/// multiple of that of the smallest shift, so that an iteration takes one application of the
/// operator for all. x[k], zero on entry, belongs to shifts[k]; a shift stops when its own residual
/// is small enough. M^+ M + the smallest shift must be positive. With one shift it is CG.
krylov_results multi_shift_cg(normal_operator& a, const halves& b, std::span<const double> shifts,
                              std::vector<halves>& x, const shift_limits& limits);

/// Solves by multi-shift CG, in single precision where a solve is mixed, then by CG for those
/// shifts whose residual, computed again in the fine precision, falls short.
class shifted_system {
 public:
  /// `coarse` may be null; all must outlive the system.
  shifted_system(solver_level& fine, solver_level* coarse, const solve_options& options);

  /// Solves for canonical fields; solutions lie one behind the other in the order of the shifts.
  /// Fills in everything in the reports but times, flops and true residuals. Collective.
  std::vector<solve_report> solve(std::span<const std::complex<double>> source,
                                  std::span<const double> shifts,
                                  std::span<std::complex<double>> solutions);
  /// Solves M x = b of staggered fermions for each of these masses.
  std::vector<solve_report> solve_masses(std::span<const std::complex<double>> source,
                                         std::span<const double> masses,
                                         std::span<std::complex<double>> solutions);

 private:
  struct found {
    std::vector<int> parities;
    std::vector<halves> x;
    std::vector<solve_report> reports;
  };
  found find(std::span<const std::complex<double>> source, std::span<const double> shifts);
  void refine(normal_operator& a, const halves& b, double shift, double source_norm, halves& x,
              solve_report& report);
  halves carried(const halves& from, const solver_level& from_level, normal_operator& to) const;
  /// Returns the level that most of the work is done in.
  solver_level& working() noexcept;

  solver_level& fine_;
  solver_level* coarse_;
  const solve_options& options_;
};

}  // namespace onehop
