#pragma once
/// What the tests of solves share.

#include "physics/fermion_tools.hpp"

namespace onehop::tests {

inline const coordinate small{4, 4, 8, 8};

inline solve_options options_for(dslash kind, precision numbers, int recon, double tolerance) {
  solve_options options;
  options.dslash = kind;
  options.mass = is_staggered(kind) ? 0.3 : 0.2;
  // Links are hot: more would make D and its inverse a matter of chance.
  options.csw = kind == dslash::clover ? 0.8 : 0.0;
  options.precision = numbers;
  options.recon = recon;
  options.tolerance = tolerance;
  return options;
}

struct outcome {
  fermion solution;  ///< by global site
  solve_report report;
};

/// Noise solved for, on links that vary from site to site.
inline outcome solve_on(const coordinate& grid, const solve_options& options) {
  const int n = components(options.dslash);
  outcome result{fermion(volume(small) * n), {}};
  on_division({small, grid}, [&](const gauge_field& links) {
    propagator_solver solver(links, options);
    const fermion b = noise(links.geometry(), n, 2);
    fermion x(b.size());
    const solve_report report = solver.solve(b, x);
    place(links.geometry(), x, result.solution);
    if (links.geometry().context().rank() == 0) result.report = report;
  });
  return result;
}

}  // namespace onehop::tests
