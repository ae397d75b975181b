#pragma once
/// The tests of solves share these.

#include "physics/device_tools.hpp"
#include "physics/fermion_tools.hpp"

namespace onehop::tests {

inline const coordinate small{4, 4, 8, 8};

inline solve_options options_for(dslash kind, precision numbers, int recon, double tolerance) {
  solve_options options;
  options.dirac = operator_of(kind, is_staggered(kind) ? 0.3 : 0.2);
  // The links are hot, so that a larger coefficient would make D and its inverse a matter of
  // chance.
  if (auto* of = std::get_if<clover>(&options.dirac)) of->csw = 0.8;
  options.precision = numbers;
  options.recon = recon;
  options.tolerance = tolerance;
  return options;
}

struct outcome {
  fermion solution;  ///< by global site
  solve_report report;
};

/// Solves for noise, on links that vary from site to site.
inline outcome solve_on(const coordinate& grid, const solve_options& options,
                        bool on_device = false) {
  const int n = components(kind_of(options.dirac));
  outcome result{fermion(volume(small) * n), {}};
  on_division({small, grid}, [&](const gauge_field& links) {
    propagator_solver solver = solver_for(links, options, on_device);
    const fermion b = noise(links.geometry(), n, 2);
    fermion x(b.size());
    const solve_report report = solver.solve(b, x);
    place(links.geometry(), x, result.solution);
    if (links.geometry().context().rank() == 0) result.report = report;
  });
  return result;
}

/// outcomes are the outcomes of several solutions.
struct outcomes {
  std::vector<fermion> solutions;  ///< by global site
  std::vector<solve_report> reports;

  bool converged() const {
    return std::ranges::all_of(reports, [](const auto& r) { return r.converged; });
  }
  double worst_residual() const {
    return std::ranges::max(reports, {}, &solve_report::residual_true).residual_true;
  }
  int iterations() const {
    return std::ranges::max(reports, {}, &solve_report::iterations).iterations;
  }
};

/// Returns the iterations that 12 sources take to 1e-10 on smooth links on which Wilson quarks are
/// nearly critical, so that the gradient is far smaller than the residual for a long time.
inline int iterations_on_smooth_links(solver_kind solver, precision numbers) {
  int most = 0;
  run_on_threads(1, [&](context ctx) {
    gauge_field links(geometry(ctx, {4, 4, 4, 8}, {1, 1, 1, 1}));
    set_cold(links);
    for (std::uint64_t sweep = 0; sweep < 30; ++sweep) {
      heatbath_sweep(links, {.beta = 6.0, .seed = 5, .overrelaxation = 1}, sweep);
    }
    links.exchange_ghosts();
    solve_options options = options_for(dslash::wilson, numbers, 18, 1e-10);
    options.dirac = wilson{.mass = kappa_to_mass(0.15)};
    options.solver = solver;
    options.rhs = 12;
    fermion b;
    for (std::uint64_t seed = 5; seed < 17; ++seed) {
      const fermion one = noise(links.geometry(), 12, seed);
      b.insert(b.end(), one.begin(), one.end());
    }
    fermion x(b.size());
    for (const solve_report& report : propagator_solver(links, options).solve_many(b, x)) {
      most = std::max(most, report.converged ? report.iterations : options.max_iterations);
    }
  });
  return most;
}

/// Calls solve(solver, x), which fills `count` fields, one behind the other, and returns their
/// reports; on every rank, on links that vary from site to site.
template <class Solve>
outcomes solve_several(const division& where, const solve_options& options, std::size_t count,
                       const Solve& solve) {
  const int n = components(kind_of(options.dirac));
  outcomes result{std::vector<fermion>(count, fermion(volume(where.lattice) * n)), {}};
  on_division(where, [&](const gauge_field& links) {
    const geometry& g = links.geometry();
    propagator_solver solver(links, options);
    const std::size_t field = g.local_volume() * n;
    fermion x(count * field);
    const std::vector<solve_report> reports = solve(solver, x);
    for (std::size_t k = 0; k < count; ++k) {
      const auto from = x.begin() + static_cast<std::ptrdiff_t>(k * field);
      place(g, fermion(from, from + static_cast<std::ptrdiff_t>(field)), result.solutions[k]);
    }
    if (g.context().rank() == 0) result.reports = reports;
  });
  return result;
}

}  // namespace onehop::tests
