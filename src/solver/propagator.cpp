#include <onehop/propagator.hpp>

#include "base/seconds.hpp"
#include "base/text.hpp"
#include "dirac/hop_links.hpp"
#include "solver/device_choice.hpp"
#include "solver/device_system.hpp"
#include "solver/host_system.hpp"
#include "solver/requirements.hpp"
#include "solver/residual_check.hpp"
#include "solver/shifted_system.hpp"
#include "solver/solver_on_backend.hpp"

#include <onehop/error.hpp>
#include <onehop/tuning.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

namespace onehop {
namespace {

using field_view = std::span<const std::complex<double>>;

/// Returns the options with all open choices filled in. Collective.
solve_options completed(const solve_options& options, const geometry& geometry) {
  require_alike(geometry.context(), options);
  solve_options result = checked(options);
  if (result.rhs == 0) result.rhs = default_rhs(geometry, result);
  return result;
}

time_split share(const time_split& after, const time_split& before, double columns) {
  time_split time;
  time.operator_s = (after.operator_s - before.operator_s) / columns;
  time.halo_wait_s = (after.halo_wait_s - before.halo_wait_s) / columns;
  time.vector_s = (after.vector_s - before.vector_s) / columns;
  time.reduction_s = (after.reduction_s - before.reduction_s) / columns;
  return time;
}

}  // namespace

struct propagator_solver::state {
  solve_options options;
  onehop::geometry geometry;
  host_system host;
  std::unique_ptr<device_system> device;  ///< solves in place of `host` if it is set
  residual_check check;
  double setup_s = 0;

  /// If `where` holds no back end, the options choose one.
  state(const gauge_field& links, const solve_options& wanted,
        std::unique_ptr<device::backend> where)
      : state(hop_links(require_su3(links, wanted), wanted.dirac), wanted, std::move(where)) {}
  state(const hop_links& links, const solve_options& wanted, std::unique_ptr<device::backend> where)
      : options(wanted),
        geometry(links.geometry()),
        host(links, options),
        check(links, options, host.team()) {
    if (!where) where = open_device(geometry.context(), options);
    if (where) device = std::make_unique<device_system>(std::move(where), links, options);
  }

  linear_system& system() noexcept { return device ? static_cast<linear_system&>(*device) : host; }
  void require_size(std::size_t size) const;
  void require_whole(std::size_t size) const;
  void require_solutions(field_view source, std::size_t count, field_view solutions) const;
  /// Returns the reports of work(), completed by times and flops of this system and by the true
  /// residual of each, true_residual(k).
  template <class Work, class Check>
  std::vector<solve_report> timed(const linear_system& system, const Work& work,
                                  const Check& true_residual);
  /// Fills in the true residual, true_residual(), and what follows from it.
  template <class Check>
  void conclude(solve_report& report, double solve_s, const Check& true_residual) const;
};

void propagator_solver::state::require_size(std::size_t size) const {
  const std::size_t wanted = host.field_size();
  if (size == wanted) return;
  throw usage_error(text("a field of ", size, " complex numbers was given; block ",
                         to_string(geometry.local()), " with ", components(kind_of(options.dirac)),
                         " components needs ", wanted));
}

void propagator_solver::state::require_solutions(field_view source, std::size_t count,
                                                 field_view solutions) const {
  require_size(source.size());
  if (solutions.size() != count * source.size()) {
    throw usage_error(text(solutions.size(), " numbers were given for ", count, " solutions; give ",
                           count * source.size()));
  }
  require_apart(source, solutions);
}

void propagator_solver::state::require_whole(std::size_t size) const {
  if (size % host.field_size() != 0 || size == 0) require_size(size);
}

template <class Work, class Check>
std::vector<solve_report> propagator_solver::state::timed(const linear_system& system,
                                                          const Work& work,
                                                          const Check& true_residual) {
  const context& ctx = geometry.context();
  const auto begin = ctx.now();
  const time_split before = system.time_spent();
  const double flops_before = system.flops();
  std::vector<solve_report> reports = work();
  const auto columns = static_cast<double>(reports.size());
  const time_split spent = share(system.time_spent(), before, columns);
  const double flops = (system.flops() - flops_before) / columns;
  const double solve_s = seconds(ctx.now() - begin) / columns;
  for (std::size_t k = 0; k < reports.size(); ++k) {
    solve_report& report = reports[k];
    report.time = spent;
    report.flops = flops;
    conclude(report, solve_s, [&] { return true_residual(k); });
  }
  return reports;
}

template <class Check>
void propagator_solver::state::conclude(solve_report& report, double solve_s,
                                        const Check& true_residual) const {
  const context& ctx = geometry.context();
  const auto check_begin = ctx.now();
  report.residual_true = true_residual();
  report.time.check_s = seconds(ctx.now() - check_begin);
  report.time.total_s = solve_s + report.time.check_s;
  // A solve that has given up reports that itself.
  if (report.converged) require_agreement(report, options);
  // In single precision a solver cannot tell its accuracy to the last digit, hence the tolerance
  // factor.
  report.converged = report.converged && report.residual_true <= 1.001 * options.tolerance;
}

propagator_solver::propagator_solver(const gauge_field& links, const solve_options& options) {
  const context& ctx = links.geometry().context();
  const auto begin = ctx.now();
  state_ = std::make_unique<state>(links, completed(options, links.geometry()), nullptr);
  state_->setup_s = seconds(ctx.now() - begin);
}
propagator_solver solver_on_backend::make(std::unique_ptr<device::backend> where,
                                          const gauge_field& links, const solve_options& options) {
  return propagator_solver(std::make_unique<propagator_solver::state>(
      links, completed(options, links.geometry()), std::move(where)));
}
propagator_solver::propagator_solver(std::unique_ptr<state> made) noexcept
    : state_(std::move(made)) {}
propagator_solver::~propagator_solver() = default;
propagator_solver::propagator_solver(propagator_solver&&) noexcept = default;

void propagator_solver::prepare_workspace() {
  const context& ctx = state_->geometry.context();
  const auto begin = ctx.now();
  state_->system().prepare_workspace();
  state_->setup_s += seconds(ctx.now() - begin);
}

solve_report propagator_solver::solve(std::span<const std::complex<double>> source,
                                      std::span<std::complex<double>> solution) {
  state_->require_size(source.size());
  return solve_many(source, solution).front();
}

std::vector<solve_report> propagator_solver::solve_many(
    std::span<const std::complex<double>> sources, std::span<std::complex<double>> solutions) {
  state& s = *state_;
  s.require_whole(sources.size());
  s.require_whole(solutions.size());
  if (solutions.size() != sources.size()) {
    throw usage_error(text(sources.size(), " numbers of sources were given, but ", solutions.size(),
                           " of solutions; give as many"));
  }
  require_apart(sources, solutions);
  prepare_workspace();
  const std::size_t size = s.host.field_size();
  const std::size_t count = sources.size() / size;
  const std::size_t most = s.options.rhs;
  const std::size_t batches = (count + most - 1) / most;
  std::vector<solve_report> reports;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const std::size_t begin = count * batch / batches;
    const std::size_t columns = count * (batch + 1) / batches - begin;
    const auto b = sources.subspan(begin * size, columns * size);
    const auto x = solutions.subspan(begin * size, columns * size);
    const int first = static_cast<int>(begin);
    const auto done = s.timed(
        s.system(), [&] { return s.system().solve(b, x, first); },
        [&](std::size_t k) {
          return s.check.residual(b.subspan(k * size, size), x.subspan(k * size, size));
        });
    reports.insert(reports.end(), done.begin(), done.end());
  }
  return reports;
}

std::vector<solve_report> propagator_solver::solve_shifted(
    std::span<const std::complex<double>> source, std::span<const double> shifts,
    std::span<std::complex<double>> solutions) {
  state& s = *state_;
  require_shifts(shifts, s.options);
  s.require_solutions(source, shifts.size(), solutions);
  shifted_system system(s.host.fine(), s.host.coarse(), s.options);
  return s.timed(
      s.host, [&] { return system.solve(source, shifts, solutions); },
      [&](std::size_t k) {
        const auto x = solutions.subspan(k * source.size(), source.size());
        return s.check.shifted_residual(source, x, shifts[k]);
      });
}

std::vector<solve_report> propagator_solver::solve_masses(
    std::span<const std::complex<double>> source, std::span<const double> masses,
    std::span<std::complex<double>> solutions) {
  state& s = *state_;
  require_masses(masses, s.options);
  s.require_solutions(source, masses.size(), solutions);
  shifted_system system(s.host.fine(), s.host.coarse(), s.options);
  return s.timed(
      s.host, [&] { return system.solve_masses(source, masses, solutions); },
      [&](std::size_t k) {
        const auto x = solutions.subspan(k * source.size(), source.size());
        return s.check.residual(source, x, masses[k] - mass_of(s.options.dirac));
      });
}

void propagator_solver::apply(std::span<const std::complex<double>> in,
                              std::span<std::complex<double>> out, bool dagger) {
  state_->require_size(in.size());
  state_->require_size(out.size());
  state_->host.apply(in, out, dagger);
}

const geometry& propagator_solver::geometry() const noexcept { return state_->geometry; }
const solve_options& propagator_solver::options() const noexcept { return state_->options; }
double propagator_solver::setup_s() const noexcept { return state_->setup_s; }
std::string propagator_solver::kernels() const { return state_->system().kernels(); }

propagator solve_point_propagator(propagator_solver& solver, const coordinate& site) {
  const geometry& g = solver.geometry();
  const int n = components(kind_of(solver.options().dirac));
  const std::size_t field = g.local_volume() * n;
  propagator result{
      n, std::vector<std::complex<double>>(field * n), std::vector<double>(g.lattice()[3]), {}};
  const int most = std::min(n, solver.options().rhs);
  const std::string where =
      text("source point:", site[0], ",", site[1], ",", site[2], ",", site[3]);
  agree(g.context(), "a point propagator with", {&where, 1});
  std::vector<std::complex<double>> sources(field * most);
  for (int first = 0; first < n; first += most) {
    const int columns = std::min(most, n - first);
    for (int k = 0; k < columns; ++k) {
      point_source(g, site, first + k, n, std::span(sources).subspan(k * field, field));
    }
    const std::span solutions = std::span(result.data).subspan(first * field, columns * field);
    const auto reports = solver.solve_many(std::span(sources).first(columns * field), solutions);
    result.reports.insert(result.reports.end(), reports.begin(), reports.end());
    for (int k = 0; k < columns; ++k) {
      add_pion_correlator(g, n, site[3], solutions.subspan(k * field, field), result.correlator);
    }
  }
  return result;
}

}  // namespace onehop
