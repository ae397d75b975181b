#include "solver/shifted_system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lattice/lane_conversion.hpp"
#include "solver/restarts.hpp"

namespace onehop {
namespace {

/// A shifted_recurrence holds one shift's directions, and the ratio zeta of its residual to the
/// residual of the smallest shift.
struct shifted_recurrence {
  double shift;  ///< difference from the smallest shift
  halves p;
  double zeta = 1, last_zeta = 1;
  double x_factor = 0, p_factor = 0;  ///< alpha and beta of this shift
  bool going = true;

  /// Makes a step by Jegerlehner's eqs. 2.42 to 2.45, with alpha and beta of the smallest shift's
  /// last step and alpha of this one.
  void step(double last_alpha, double last_beta, double alpha) {
    const double next =
        zeta * last_zeta * last_alpha /
        (alpha * last_beta * (last_zeta - zeta) + last_zeta * last_alpha * (1 + shift * alpha));
    x_factor = alpha * next / zeta;
    last_zeta = zeta;
    zeta = next;
  }
  void update_direction(double beta) { p_factor = beta * (zeta / last_zeta) * (zeta / last_zeta); }
};

/// Single precision reduces a residual by this factor before it is recomputed.
constexpr double coarse_gain = 1e-5;

}  // namespace

normal_operator::normal_operator(even_odd_operator& op, field_algebra& algebra,
                                 std::vector<int> parities)
    : op_(op), algebra_(algebra), parities_(std::move(parities)) {
  for (int parity = 0; parity < 2; ++parity) between_.push_back(op.make_field(parity));
}

halves normal_operator::make_field() const {
  halves field;
  for (const int parity : parities_) field.push_back(op_.make_field(parity));
  return field;
}

halves normal_operator::copy_of(const halves& from) const {
  halves copy = make_field();
  for (std::size_t h = 0; h < from.size(); ++h) copy[h].copy_from(from[h], op_.team());
  return copy;
}

void normal_operator::apply(halves& out, const halves& in, double shift) {
  if (op_.hermitian()) {
    for (std::size_t h = 0; h < in.size(); ++h) {
      op_.normal_half(out[h], in[h], between_[1 - in[h].parity()]);
    }
  } else {
    for (int h = 0; h < 2; ++h) op_.full(between_[h], in[h], in[1 - h]);
    for (int h = 0; h < 2; ++h) op_.full(out[h], between_[h], between_[1 - h], true);
  }
  if (shift != 0) axpy(out, shift, in);
}

double normal_operator::residual(halves& r, const halves& b, const halves& x, double shift) {
  apply(r, x, shift);
  xpay(r, -1.0, b);
  return norm2(r);
}

double normal_operator::norm2(const halves& x) {
  if (x.size() == 1) return algebra_.norms(x[0]).front();
  const auto [even, odd] = algebra_.norms(x[0], x[1]);
  return even.front() + odd.front();
}

double normal_operator::dot(const halves& x, const halves& y) {
  double sum = 0;
  for (std::size_t h = 0; h < x.size(); ++h) sum += algebra_.dots(x[h], y[h]).front().real();
  return sum;
}

void normal_operator::axpy(halves& y, double a, const halves& x) {
  for (std::size_t h = 0; h < x.size(); ++h) algebra_.axpy(y[h], a, x[h]);
}

void normal_operator::xpay(halves& y, double a, const halves& x) {
  for (std::size_t h = 0; h < x.size(); ++h) algebra_.xpay(y[h], a, x[h]);
}

double normal_operator::residual_step(halves& r, double a, const halves& q) {
  double sum = 0;
  for (std::size_t h = 0; h < r.size(); ++h) {
    algebra_.residual_step(r[h], a, q[h]);
    sum += algebra_.left(r[h]).front();
  }
  return sum;
}

void normal_operator::shifted_step(halves& x, double a, halves& p, double b, const halves& r,
                                   double c) {
  for (std::size_t h = 0; h < x.size(); ++h) algebra_.shifted_step(x[h], a, p[h], b, r[h], c);
}

krylov_results multi_shift_cg(normal_operator& a, const halves& b, std::span<const double> shifts,
                              std::vector<halves>& x, const shift_limits& limits) {
  const double smallest = *std::ranges::min_element(shifts);
  const auto base = static_cast<std::size_t>(std::ranges::min_element(shifts) - shifts.begin());
  halves r = a.copy_of(b), q = a.make_field();
  double rho = a.norm2(r);
  krylov_results results(shifts.size(), {0, std::sqrt(rho)});
  std::vector<shifted_recurrence> each;
  for (const double shift : shifts) each.push_back({shift - smallest, a.copy_of(b)});
  double alpha = 1, beta = 0;
  const auto note = [&](int iteration) {
    for (std::size_t k = 0; k < each.size(); ++k) {
      if (!each[k].going) continue;
      results[k] = {iteration, std::abs(each[k].zeta) * std::sqrt(rho)};
      require_finite(results[k].residual, "residual of multi-shift CG", iteration);
      each[k].going = results[k].residual > limits.target;
    }
  };
  note(0);
  // The residual of the smallest shift is the largest, so this shift iterates as long as any other.
  for (int iteration = 1; iteration <= limits.max_iterations && each[base].going; ++iteration) {
    const halves& p = each[base].p;
    a.apply(q, p, smallest);
    const double last_alpha = alpha;
    alpha = rho / a.dot(p, q);
    for (auto& s : each) s.step(last_alpha, beta, alpha);
    const double rho_next = a.residual_step(r, alpha, q);
    beta = rho_next / rho;
    rho = rho_next;
    for (std::size_t k = 0; k < each.size(); ++k) {
      shifted_recurrence& s = each[k];
      s.update_direction(beta);
      if (s.going) a.shifted_step(x[k], s.x_factor, s.p, s.zeta, r, s.p_factor);
    }
    note(iteration);
    if (limits.progress) limits.progress(iteration, results[base].residual);
  }
  return results;
}

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

// Solves x = M^+ (M^+ M)^-1 b. A mass added to M adds a multiple of one to M^+ and, since D is
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
