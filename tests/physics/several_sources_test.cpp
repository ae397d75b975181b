// Sources that are solved together must each have the bits that they have alone.

#include <onehop/error.hpp>

#include <boost/test/unit_test.hpp>

#include "physics/device_tools.hpp"
#include "physics/fermion_tools.hpp"

using namespace onehop;
using namespace onehop::tests;

namespace {

const coordinate lattice{4, 4, 4, 8};

struct way {
  dslash kind;
  solver_kind solver;
  precision numbers;
  double tolerance;
};

solve_options options_for(const way& w) {
  solve_options options;
  options.dirac = operator_of(w.kind, w.kind == dslash::wilson ? 0.3 : 0.4);
  options.solver = w.solver;
  options.precision = w.numbers;
  options.recon = w.numbers == precision::mixed ? 12 : 18;
  options.tolerance = w.tolerance;
  return options;
}

/// Returns M^6 noise, in which the modes that take long are faint.
fermion rough(propagator_solver& solver, int n) {
  fermion field = noise(solver.geometry(), n, 6);
  fermion image(field.size());
  for (int k = 0; k < 6; ++k, field.swap(image)) solver.apply(field, image);
  return field;
}

/// Returns sources that need different numbers of iterations.
fermion sources(propagator_solver& solver, int n) {
  const geometry& g = solver.geometry();
  const std::size_t field = g.local_volume() * n;
  fermion all;
  const auto append = [&](const fermion& one) { all.insert(all.end(), one.begin(), one.end()); };
  fermion point(field);
  point_source(g, {1, 2, 3, 1}, 1, n, point);
  append(point);
  append(noise(g, n, 4));
  append(fermion(field));
  append(rough(solver, n));
  append(noise(g, n, 5));
  return all;
}

struct outcome {
  std::vector<fermion> solutions;  ///< by global site
  std::vector<int> iterations;
  std::vector<double> residuals;
  bool converged = true;
};

outcome solve_on(const coordinate& grid, solve_options options, int rhs, bool on_device = false) {
  const int n = components(kind_of(options.dirac));
  options.rhs = rhs;
  outcome result{std::vector<fermion>(5, fermion(volume(lattice) * n)), {}, {}};
  on_division({lattice, grid}, [&](const gauge_field& links) {
    const geometry& g = links.geometry();
    propagator_solver solver = solver_for(links, options, on_device);
    const fermion b = sources(solver, n);
    fermion x(b.size());
    const auto reports = solver.solve_many(b, x);
    const auto field = static_cast<std::ptrdiff_t>(g.local_volume() * n);
    for (int k = 0; k < 5; ++k) {
      place(g, fermion(x.begin() + k * field, x.begin() + (k + 1) * field), result.solutions[k]);
    }
    if (g.context().rank() != 0) return;
    for (const solve_report& report : reports) {
      result.iterations.push_back(report.iterations);
      result.residuals.push_back(report.residual_true);
      result.converged = result.converged && report.converged;
    }
  });
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_of_several_sources_has_the_bits_it_has_alone) {
  for (const way& w : {way{dslash::wilson, solver_kind::cg, precision::double_, 1e-11},
                       way{dslash::wilson, solver_kind::bicgstab, precision::double_, 1e-11},
                       way{dslash::staggered, solver_kind::cg, precision::double_, 1e-11},
                       way{dslash::wilson, solver_kind::cg, precision::mixed, 1e-11},
                       way{dslash::wilson, solver_kind::bicgstab, precision::mixed, 1e-11},
                       // Half precision gets to 2e-6, more or less as its kernels round.
                       way{dslash::staggered, solver_kind::cg, precision::half, 3e-6}}) {
    solve_options options = options_for(w);
    const outcome alone = solve_on({1, 1, 1, 1}, options, 1);
    BOOST_TEST(alone.converged);
    BOOST_TEST(alone.iterations[2] == 0);
    if (w.solver == solver_kind::cg) BOOST_TEST(alone.iterations[0] != alone.iterations[3]);
    for (const auto& [rhs, grid] :
         {std::pair{2, coordinate{1, 1, 1, 1}}, std::pair{5, coordinate{1, 1, 1, 2}},
          std::pair{8, coordinate{1, 2, 1, 1}}}) {
      options.threads = rhs == 8 ? 2 : 1;
      const outcome together = solve_on(grid, options, rhs);
      BOOST_TEST_CONTEXT(rhs << " at a time on " << to_string(grid) << ", solver "
                             << static_cast<int>(w.solver) << ", numbers "
                             << static_cast<int>(w.numbers)) {
        BOOST_TEST((together.solutions == alone.solutions));
        BOOST_TEST(together.iterations == alone.iterations, boost::test_tools::per_element());
        BOOST_TEST((together.residuals == alone.residuals));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(each_of_several_sources_has_the_bits_it_has_alone_on_a_device) {
  for (const way& w : {way{dslash::wilson, solver_kind::cg, precision::double_, 1e-11},
                       way{dslash::wilson, solver_kind::bicgstab, precision::double_, 1e-11},
                       way{dslash::staggered, solver_kind::cg, precision::double_, 1e-11},
                       way{dslash::clover, solver_kind::bicgstab, precision::mixed, 1e-11},
                       way{dslash::wilson, solver_kind::cg, precision::mixed, 1e-11},
                       way{dslash::staggered, solver_kind::cg, precision::half, 3e-6}}) {
    solve_options options = options_for(w);
    if (w.kind == dslash::clover) std::get<clover>(options.dirac).csw = 0.8;
    // The sums of a rank are rounded, so that their bits depend on the grid.
    for (const coordinate& grid : {coordinate{1, 1, 1, 1}, coordinate{1, 2, 1, 1}}) {
      const outcome alone = solve_on(grid, options, 1, true);
      BOOST_TEST(alone.converged, "alone on " << to_string(grid) << ", operator "
                                              << static_cast<int>(w.kind) << ", numbers "
                                              << static_cast<int>(w.numbers));
      BOOST_TEST(alone.iterations[2] == 0);
      if (w.solver == solver_kind::cg) BOOST_TEST(alone.iterations[0] != alone.iterations[3]);
      for (const int rhs : {2, 5}) {
        const outcome together = solve_on(grid, options, rhs, true);
        BOOST_TEST_CONTEXT(rhs << " at a time on " << to_string(grid) << ", solver "
                               << static_cast<int>(w.solver) << ", numbers "
                               << static_cast<int>(w.numbers)) {
          BOOST_TEST((together.solutions == alone.solutions));
          BOOST_TEST(together.iterations == alone.iterations, boost::test_tools::per_element());
          BOOST_TEST((together.residuals == alone.residuals));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(an_iteration_limit_ends_each_source_where_it_ends_alone) {
  solve_options options = options_for({dslash::wilson, solver_kind::cg, precision::double_, 1e-11});
  options.max_iterations = 7;
  int last = 0;
  options.progress = [&last](const solve_progress& p) { last = p.iteration; };
  for (const bool on_device : {false, true}) {
    const outcome together = solve_on({1, 1, 1, 1}, options, 5, on_device);
    BOOST_TEST(together.iterations == (std::vector{7, 7, 0, 7, 7}),
               boost::test_tools::per_element());
    BOOST_TEST(!together.converged);
    BOOST_TEST(last == 7);
  }
}

BOOST_AUTO_TEST_CASE(numbers_of_sources_that_make_no_sense_are_refused) {
  const auto attempt = [](int rhs, std::size_t more_sources, std::size_t more_solutions) {
    on_division({lattice, {1, 1, 1, 1}}, [&](const gauge_field& links) {
      solve_options options =
          options_for({dslash::staggered, solver_kind::cg, precision::double_, 1e-3});
      options.rhs = rhs;
      propagator_solver solver(links, options);
      const std::size_t two = 2 * links.geometry().local_volume() * 3;
      fermion b(two + more_sources, 1.0), x(two + more_solutions);
      solver.solve_many(b, x);
    });
  };
  BOOST_CHECK_NO_THROW(attempt(3, 0, 0));
  BOOST_CHECK_THROW(attempt(-1, 0, 0), usage_error);
  BOOST_CHECK_THROW(attempt(2, 1, 0), usage_error);
  BOOST_CHECK_THROW(attempt(2, 0, volume(lattice) * 3), usage_error);
}
