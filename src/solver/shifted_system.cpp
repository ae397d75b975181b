#include "solver/shifted_system.hpp"

#include "lattice/lane_conversion.hpp"
#include "solver/restarts.hpp"

#include <algorithm>
#include <cmath>

namespace onehop {
namespace {

/// Single precision takes a residual this far before it is computed again.
constexpr double coarse_gain = 1e-5;

}  // namespace

shifted_system::shifted_system(solver_level& fine, solver_level* coarse,
                               const solve_options& options)
    : fine_(fine), coarse_(coarse), options_(options) {}

solver_level& shifted_system::working() noexcept {
  const bool single = coarse_ != nullptr && coarse_->op.kernels().kind == field_precision::single;
  return single ? *coarse_ : fine_;
}

halves shifted_system::carried(const halves& from, const solver_level& from_level,
                               normal_operator& to) const {
  halves copy = to.make_field();
  const lane_conversion conversion(from_level.layout, to.layout());
  for (std::size_t h = 0; h < from.size(); ++h) conversion.convert(from[h], copy[h]);
  return copy;
}

void shifted_system::refine(normal_operator& a, const halves& b, double shift, double source_norm,
                            halves& x, solve_report& report) {
  solver_level& level = working();
  normal_operator inner(level.op, level.algebra, a.parities());
  halves r = a.make_field();
  restarts again;
  while (true) {
    const double norm = std::sqrt(a.residual(r, b, x, shift));
    if (!again.wanted(norm, source_norm, options_, report)) return;
    shift_limits limits;
    limits.target = std::max(0.9 * options_.tolerance * source_norm,
                             &level == &fine_ ? 0.0 : coarse_gain * norm);
    limits.max_iterations = options_.max_iterations - report.iterations;
    std::vector<halves> correction(1);
    correction[0] = inner.make_field();
    const krylov_result result =
        multi_shift_cg(inner, carried(r, fine_, inner), {&shift, 1}, correction, limits).front();
    report.iterations += result.iterations;
    if (&level != &fine_) ++report.reliable_updates;
    report.residual_iterated = result.residual / source_norm;
    a.axpy(x, 1.0, carried(correction[0], level, a));
  }
}

shifted_system::found shifted_system::find(std::span<const std::complex<double>> source,
                                           std::span<const double> shifts) {
  found result;
  halves b;
  for (int parity = 0; parity < 2; ++parity) {
    lane_field half = fine_.op.make_field(parity);
    spread(fine_.layout, source, half);
    const bool needed = !fine_.op.hermitian() || fine_.algebra.norms(half).front() != 0;
    if (!needed) continue;
    b.push_back(std::move(half));
    result.parities.push_back(parity);
  }
  result.reports.resize(shifts.size());
  for (solve_report& report : result.reports) report.converged = true;
  normal_operator a(fine_.op, fine_.algebra, result.parities);
  for (std::size_t k = 0; k < shifts.size(); ++k) result.x.push_back(a.make_field());
  const double source_norm = b.empty() ? 0.0 : std::sqrt(a.norm2(b));
  require_finite(source_norm, "norm of the source", 0);
  if (source_norm == 0) return result;

  solver_level& level = working();
  normal_operator inner(level.op, level.algebra, result.parities);
  shift_limits limits;
  limits.target = source_norm * std::max(options_.tolerance, &level == &fine_ ? 0.0 : coarse_gain);
  limits.max_iterations = options_.max_iterations;
  if (options_.progress) {
    limits.progress = [&](int iteration, double residual) {
      options_.progress({iteration, residual / source_norm});
    };
  }
  std::vector<halves> x;
  for (std::size_t k = 0; k < shifts.size(); ++k) x.push_back(inner.make_field());
  const auto results = multi_shift_cg(inner, carried(b, fine_, inner), shifts, x, limits);
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    result.reports[k].iterations = results[k].iterations;
    result.reports[k].residual_iterated = results[k].residual / source_norm;
    result.x[k] = carried(x[k], level, a);
    refine(a, b, shifts[k], source_norm, result.x[k], result.reports[k]);
  }
  return result;
}

std::vector<solve_report> shifted_system::solve(std::span<const std::complex<double>> source,
                                                std::span<const double> shifts,
                                                std::span<std::complex<double>> solutions) {
  const found all = find(source, shifts);
  std::ranges::fill(solutions, std::complex<double>());
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    const auto solution = solutions.subspan(k * source.size(), source.size());
    for (const lane_field& half : all.x[k]) collect(fine_.layout, half, solution);
  }
  return all.reports;
}

// Solves x = M^+ (M^+ M)^-1 b. What a mass adds to M adds a multiple of one to M^+ and, since D is
// antihermitian, the difference of the squares to M^+ M.
std::vector<solve_report> shifted_system::solve_masses(std::span<const std::complex<double>> source,
                                                       std::span<const double> masses,
                                                       std::span<std::complex<double>> solutions) {
  std::vector<double> shifts;
  const double own = mass_of(options_.dirac);
  for (const double mass : masses) shifts.push_back(mass * mass - own * own);
  const found all = find(source, shifts);
  for (std::size_t k = 0; k < masses.size(); ++k) {
    halves y;
    for (int parity = 0; parity < 2; ++parity) y.push_back(fine_.op.make_field(parity));
    for (const lane_field& half : all.x[k]) y[half.parity()].copy_from(half, fine_.op.team());
    for (int parity = 0; parity < 2; ++parity) {
      lane_field x = fine_.op.make_field(parity);
      fine_.op.full(x, y[parity], y[1 - parity], true);
      fine_.algebra.axpy(x, masses[k] - own, y[parity]);
      collect(fine_.layout, x, solutions.subspan(k * source.size(), source.size()));
    }
  }
  return all.reports;
}

}  // namespace onehop
