#pragma once
/// A shifted_system has systems M^+ M + shift with one source, solved together and each brought to
/// its tolerance.

#include "solver/level.hpp"

#include "solver/multi_shift_cg.hpp"

#include <onehop/solve_report.hpp>

#include <complex>
#include <functional>
#include <span>
#include <vector>

namespace onehop {

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
