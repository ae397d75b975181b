#include <onehop/propagator.hpp>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "reference/dirac_operator.hpp"
#include "solver/level.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <variant>

namespace onehop {
namespace {

using field_view = std::span<const std::complex<double>>;

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

void require_terms(const solve_options& options) {
  if (options.csw != 0 && options.dslash != dslash::clover) {
    throw usage_error(text("csw ", options.csw, " is for clover; this operator has no such term"));
  }
  if (options.mu != 0 && is_staggered(options.dslash)) {
    throw usage_error(text("twisted mass ", options.mu,
                           " is for wilson and clover, which have a "
                           "gamma_5; staggered fermions have a mass only"));
  }
  if (!std::isfinite(options.csw) || !std::isfinite(options.mu)) {
    throw usage_error(
        text("csw ", options.csw, " or twisted mass ", options.mu, " is not a finite number"));
  }
}

solve_options checked(const solve_options& options) {
  require_terms(options);
  if (is_staggered(options.dslash) && options.solver == solver_kind::bicgstab) {
    throw usage_error(
        "solver bicgstab is for wilson and clover; the even/odd staggered operator is hermitian "
        "and positive, use cg");
  }
  if (!(options.tolerance > 0)) {
    throw usage_error(text("tolerance ", options.tolerance, " is not positive"));
  }
  if (options.recon != 18 && options.recon != 12 && options.recon != 8) {
    throw usage_error(text("links of ", options.recon, " reals: choose 18, 12 or 8"));
  }
  if (options.threads < 1) {
    throw usage_error(text(options.threads, " threads cannot share any work"));
  }
  if (options.max_iterations < 1) {
    throw usage_error(text("iteration limit ", options.max_iterations, " is not positive"));
  }
  return options;
}

using judge = std::variant<reference::wilson, reference::clover, reference::staggered,
                           reference::improved_staggered>;

judge make_judge(const hop_links& links, const solve_options& options) {
  const double mass = options.mass;
  const bool antiperiodic = options.antiperiodic;
  switch (options.dslash) {
    case dslash::clover:
      return reference::clover(links.thin(), mass, options.csw, antiperiodic, options.mu);
    case dslash::staggered:
      return reference::staggered(links.thin(), mass, antiperiodic);
    case dslash::asqtad:
    case dslash::hisq:
      return reference::improved_staggered(links.near(), links.far(), mass, antiperiodic);
    default:
      return reference::wilson(links.thin(), mass, antiperiodic, options.mu);
  }
}

storage fine_storage(precision wanted) {
  const bool twofold = wanted == precision::double_ || wanted == precision::mixed;
  return twofold ? storage::real64 : storage::real32;
}
bool has_coarse(precision wanted) {
  return wanted == precision::half || wanted == precision::mixed;
}
storage coarse_storage(precision wanted) {
  return wanted == precision::half ? storage::fixed16 : storage::real32;
}

/// Fewer reals hold links of SU(3) only. The coarse links may be as wrong as their numbers are; the
/// solution's must be as right as the tolerance asks.
const gauge_field& require_su3(const gauge_field& links, const solve_options& options) {
  // The operator refuses fewer reals of links that are made.
  if (options.recon == 18 || is_improved(options.dslash)) return links;
  std::array<double, 1> distance = {distance_from_su3(links)};
  allreduce_max(links.geometry().context(), distance);
  const double allowed =
      has_coarse(options.precision) ? 1e-3 : std::max(1e-13, 1e-2 * options.tolerance);
  if (distance[0] <= allowed) return links;
  throw usage_error(text(
      "links are up to ", distance[0], " away from SU(3), too far to be kept in ", options.recon,
      " reals for tolerance ", options.tolerance, "; use 18, or mixed precision"));
}

/// Iterated and true residual must tell the same story, up to the rounding of b - M x itself.
void require_agreement(const solve_report& report, const solve_options& options) {
  const double rounding = fine_storage(options.precision) == storage::real64 ? 1e-13 : 1e-5;
  const double believed = std::max(report.residual_iterated, options.tolerance);
  if (report.residual_true <= 2 * believed + rounding) return;
  throw numeric_error(text("the solver reports residual ", report.residual_iterated, " after ",
                           report.iterations, " iterations, but |b - M x| / |b| is ",
                           report.residual_true,
                           " by the reference operator: the solution is wrong"));
}

/// The source is needed again for the check of the solution.
void require_apart(field_view source, field_view solution) {
  const std::less<const std::complex<double>*> before;
  if (before(source.data(), solution.data() + solution.size()) &&
      before(solution.data(), source.data() + source.size())) {
    throw usage_error("source and solution share memory; give the solution a field of its own");
  }
}

const instruction_set& chosen_set() { return choose_instruction_set(environment::read().simd); }

}  // namespace

struct propagator_solver::state {
  solve_options options;
  onehop::geometry geometry;
  const instruction_set& set;
  thread_team team;
  solver_level fine;
  std::optional<solver_level> coarse;
  judge check;

  state(const gauge_field& links, const solve_options& wanted)
      : state(hop_links(require_su3(links, checked(wanted)), wanted.dslash, wanted.u0), wanted) {}
  state(const hop_links& links, const solve_options& wanted)
      : options(wanted),
        geometry(links.geometry()),
        set(chosen_set()),
        team(options.threads),
        fine(links, options, fine_storage(options.precision),
             has_coarse(options.precision) ? 18 : options.recon, set, team),
        check(make_judge(links, options)) {
    if (has_coarse(options.precision)) {
      coarse.emplace(links, options, coarse_storage(options.precision), options.recon, set, team);
    }
  }

  void require_size(std::size_t size) const;
  time_split time_spent() const;
  double flops() const { return fine.flops() + (coarse ? coarse->flops() : 0.0); }
  /// Everything but the check.
  solve_report solve_halves(field_view source, std::span<std::complex<double>> solution);
  void iterate(lane_field& x, const lane_field& rhs, double source_norm, solve_report& report);
  krylov_result run(lane_field& x, lane_field& r, const lane_field& rhs, double source_norm,
                    int done);
  double true_residual(field_view source, field_view solution);
};

void propagator_solver::state::require_size(std::size_t size) const {
  const std::size_t wanted = geometry.local_volume() * fine.op.components();
  if (size == wanted) return;
  throw usage_error(text("a field of ", size, " complex numbers was given; block ",
                         to_string(geometry.local()), " with ", fine.op.components(),
                         " components needs ", wanted));
}

time_split propagator_solver::state::time_spent() const {
  time_split time;
  const auto add = [&time](const solver_level& level) {
    time.operator_s += seconds(level.op.time().compute);
    time.halo_wait_s += seconds(level.op.time().halo_wait);
    time.vector_s += seconds(level.algebra.vector_time());
    time.reduction_s += seconds(level.algebra.reduction_time());
  };
  add(fine);
  if (coarse) add(*coarse);
  return time;
}

krylov_result propagator_solver::state::run(lane_field& x, lane_field& r, const lane_field& rhs,
                                            double source_norm, int done) {
  krylov_limits limits;
  limits.target = options.tolerance * source_norm;
  limits.max_iterations = options.max_iterations - done;
  if (options.progress) {
    limits.progress = [this, done, source_norm](int iteration, double residual) {
      options.progress({done + iteration, residual / source_norm});
    };
  }
  return coarse ? solve_coarse(fine, *coarse, options.solver, x, r, rhs, limits)
                : fine.run(options.solver, x, r, limits);
}

/// The residual that a solver carries along drifts from b - S x by rounding, so convergence is
/// believed only of the recomputed one; otherwise the solver restarts from it, as long as that
/// gains at least a factor of two.
void propagator_solver::state::iterate(lane_field& x, const lane_field& rhs, double source_norm,
                                       solve_report& report) {
  lane_field r = fine.op.make_field(rhs.parity());
  r.copy_from(rhs);
  double previous = std::numeric_limits<double>::infinity();
  while (true) {
    const krylov_result result = run(x, r, rhs, source_norm, report.iterations);
    report.iterations += result.iterations;
    report.residual_iterated = result.residual / source_norm;
    const double residual = std::sqrt(fine.residual(r, rhs, x)) / source_norm;
    require_finite(residual, "recomputed residual", report.iterations);
    report.converged = residual <= options.tolerance;
    const bool stuck = residual > 0.5 * previous;
    if (report.converged || stuck || report.iterations >= options.max_iterations) return;
    previous = residual;
  }
}

solve_report propagator_solver::state::solve_halves(field_view source,
                                                    std::span<std::complex<double>> solution) {
  constexpr int odd = even_odd_operator::solved;
  lane_field b_even = fine.op.make_field(1 - odd);
  lane_field b_odd = fine.op.make_field(odd);
  spread(fine.layout, source, b_even);
  spread(fine.layout, source, b_odd);
  const auto [norm_even, norm_odd] = fine.algebra.norms2(b_even, b_odd);
  const double source_norm = std::sqrt(norm_even + norm_odd);
  require_finite(source_norm, "norm of the source", 0);

  solve_report report;
  lane_field x_even = fine.op.make_field(1 - odd);
  lane_field x_odd = fine.op.make_field(odd);
  if (source_norm == 0) {
    report.converged = true;
  } else {
    lane_field rhs = fine.op.make_field(odd);
    fine.op.prepare(rhs, b_even, b_odd);
    iterate(x_odd, rhs, source_norm, report);
    fine.op.reconstruct(x_even, x_odd, b_even);
  }
  collect(fine.layout, x_even, solution);
  collect(fine.layout, x_odd, solution);
  return report;
}

double propagator_solver::state::true_residual(field_view source, field_view solution) {
  std::vector<std::complex<double>> image(source.size());
  std::visit([&](auto& m) { m.apply(solution, image); }, check);
  std::array<site_sum, 2> sums;
  for (std::size_t k = 0; k < source.size(); ++k) {
    sums[0].add(std::norm(source[k] - image[k]));
    sums[1].add(std::norm(source[k]));
  }
  std::array<double, 2> norms{};
  totals(geometry.context(), sums, norms);
  return norms[1] == 0 ? std::sqrt(norms[0]) : std::sqrt(norms[0] / norms[1]);
}

propagator_solver::propagator_solver(const gauge_field& links, const solve_options& options)
    : state_(std::make_unique<state>(links, options)) {}
propagator_solver::~propagator_solver() = default;
propagator_solver::propagator_solver(propagator_solver&&) noexcept = default;

solve_report propagator_solver::solve(std::span<const std::complex<double>> source,
                                      std::span<std::complex<double>> solution) {
  state& s = *state_;
  s.require_size(source.size());
  s.require_size(solution.size());
  require_apart(source, solution);
  const auto begin = s.geometry.context().now();
  const time_split before = s.time_spent();
  const double flops_before = s.flops();

  solve_report report = s.solve_halves(source, solution);
  const time_split after = s.time_spent();
  report.flops = s.flops() - flops_before;
  report.time.operator_s = after.operator_s - before.operator_s;
  report.time.halo_wait_s = after.halo_wait_s - before.halo_wait_s;
  report.time.vector_s = after.vector_s - before.vector_s;
  report.time.reduction_s = after.reduction_s - before.reduction_s;

  const auto check_begin = s.geometry.context().now();
  report.residual_true = s.true_residual(source, solution);
  report.time.check_s = seconds(s.geometry.context().now() - check_begin);
  report.time.total_s = seconds(s.geometry.context().now() - begin);
  require_agreement(report, s.options);
  // Single numbers cannot tell how well they solve to the last digit.
  report.converged = report.converged && report.residual_true <= 1.001 * s.options.tolerance;
  return report;
}

void propagator_solver::apply(std::span<const std::complex<double>> in,
                              std::span<std::complex<double>> out, bool dagger) {
  state& s = *state_;
  s.require_size(in.size());
  s.require_size(out.size());
  std::array<lane_field, 2> source = {s.fine.op.make_field(0), s.fine.op.make_field(1)};
  for (lane_field& half : source) spread(s.fine.layout, in, half);
  for (int parity = 0; parity < 2; ++parity) {
    lane_field image = s.fine.op.make_field(parity);
    s.fine.op.full(image, source[parity], source[1 - parity], dagger);
    collect(s.fine.layout, image, out);
  }
}

const geometry& propagator_solver::geometry() const noexcept { return state_->geometry; }
const solve_options& propagator_solver::options() const noexcept { return state_->options; }

std::string propagator_solver::kernels() const {
  std::string names = text(state_->set.name, " x", state_->fine.layout.lanes());
  if (state_->coarse) names += text(", x", state_->coarse->layout.lanes());
  return names;
}

propagator solve_point_propagator(propagator_solver& solver, const coordinate& site) {
  const geometry& g = solver.geometry();
  const int n = components(solver.options().dslash);
  const std::size_t field = g.local_volume() * n;
  propagator result{
      n, std::vector<std::complex<double>>(field * n), std::vector<double>(g.lattice()[3]), {}};
  std::vector<std::complex<double>> source(field);
  for (int component = 0; component < n; ++component) {
    point_source(g, site, component, n, source);
    const std::span<std::complex<double>> solution(result.data.data() + component * field, field);
    result.reports.push_back(solver.solve(source, solution));
    add_pion_correlator(g, n, site[3], solution, result.correlator);
  }
  return result;
}

}  // namespace onehop
