#pragma once
/// A normal_operator is M^+ M + shift on whole fields. A shifted_system solves such systems with
/// one source together and brings each to its tolerance.

#include <complex>
#include <functional>
#include <onehop/solve_report.hpp>
#include <span>
#include <vector>

#include "dirac/even_odd_operator.hpp"
#include "solver/field_algebra.hpp"
#include "solver/krylov.hpp"
#include "solver/level.hpp"

namespace onehop {

/// These are the halves of one whole field by parity; a half that stays zero may be left out.
using halves = std::vector<lane_field>;

/// The operator is hermitian and positive. Wilson's M^+ M joins the parities. For staggered
/// fermions it does not, so the half on which a source vanishes stays zero and can be omitted.
class normal_operator {
 public:
  /// The operator and the algebra must outlive this object; `parities` is {0, 1}, or one of them
  /// for staggered fermions.
  normal_operator(even_odd_operator& op, field_algebra& algebra, std::vector<int> parities);

  halves make_field() const;
  halves copy_of(const halves& from) const;
  const std::vector<int>& parities() const noexcept { return parities_; }
  const lane_layout& layout() const noexcept { return op_.layout(); }
  field_precision kind() const noexcept { return op_.kernels().kind; }

  /// Sets out = (M^+ M + shift) in. Collective, like all functions that return numbers.
  void apply(halves& out, const halves& in, double shift);
  /// Sets r = b - (M^+ M + shift) x; returns |r|^2.
  double residual(halves& r, const halves& b, const halves& x, double shift);

  double norm2(const halves& x);
  /// Returns Re <x, y>.
  double dot(const halves& x, const halves& y);
  void axpy(halves& y, double a, const halves& x);
  /// Sets y = x + a y.
  void xpay(halves& y, double a, const halves& x);
  /// Sets r -= a q; returns |r|^2.
  double residual_step(halves& r, double a, const halves& q);
  /// Sets x += a p, p = b r + c p.
  void shifted_step(halves& x, double a, halves& p, double b, const halves& r, double c);

 private:
  even_odd_operator& op_;
  field_algebra& algebra_;
  std::vector<int> parities_;
  halves between_;  ///< M in, or H in for staggered fermions
};

struct shift_limits {
  double target = 0;  ///< the solver stops when |b - (M^+ M + shift) x| is at most this
  int max_iterations = 0;
  /// This is called after each iteration with its number and the residual of the smallest shift.
  std::function<void(int iteration, double residual)> progress;
};

/// Solves (M^+ M + shift) x = b for many shifts in one Krylov space by multi-shift CG (Jegerlehner,
/// hep-lat/9612014). The residual of every shift is a multiple of that of the smallest shift, so an
/// iteration takes one application of the operator for all. x[k], zero on entry, belongs to
/// shifts[k]; a shift stops when its own residual is small enough. M^+ M + the smallest shift must
/// be positive. With one shift it is CG.
krylov_results multi_shift_cg(normal_operator& a, const halves& b, std::span<const double> shifts,
                              std::vector<halves>& x, const shift_limits& limits);

/// Solves by multi-shift CG, in single precision if a solve is mixed; then by CG for the shifts
/// whose residual, recomputed in the fine precision, is still too large.
class shifted_system {
 public:
  /// `coarse` may be null; all must outlive the system.
  shifted_system(solver_level& fine, solver_level* coarse, const solve_options& options);

  /// Solves for canonical fields; solutions are consecutive in the order of the shifts. Fills in
  /// everything in the reports except times, flops and true residuals. Collective.
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
  /// Returns the level in which most of the work is done.
  solver_level& working() noexcept;

  solver_level& fine_;
  solver_level* coarse_;
  const solve_options& options_;
};

}  // namespace onehop
