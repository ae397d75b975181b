// Multi-shift and pipelined CG are tested, and what a solver needs of the network.

#include <onehop/error.hpp>

#include <boost/test/unit_test.hpp>

#include "dirac/kernels.hpp"
#include "physics/solve_tools.hpp"
#include "reference/dirac_operator.hpp"
#include "solver/level.hpp"

using namespace onehop;
using namespace onehop::tests;

namespace {

const coordinate lattice{4, 4, 4, 8};
const coordinate whole{1, 1, 1, 1};

solve_options variant_options(dslash kind, precision numbers = precision::double_,
                              double tolerance = 1e-11) {
  solve_options options = options_for(kind, numbers, 18, tolerance);
  options.dirac = with_mass(options.dirac, kind == dslash::wilson ? 0.3 : 0.2);
  return options;
}

/// Calls solve(solver, source, solutions), with noise, or a point, as source.
template <class Solve>
outcomes solve_on(const coordinate& grid, const solve_options& options, std::size_t solutions,
                  const Solve& solve, bool point = false) {
  return solve_several({lattice, grid}, options, solutions, [&](auto& solver, fermion& x) {
    const int n = components(kind_of(options.dirac));
    fermion b = noise(solver.geometry(), n, 7);
    if (point) point_source(solver.geometry(), {1, 0, 3, 2}, 1, n, b);
    return std::vector<solve_report>(solve(solver, b, x));
  });
}

const std::vector<double> shifts = {0.5, 0.0, 0.02, 4.0};
const std::vector<double> masses = {0.4, 0.1, 0.2};

outcomes solve_shifted(const coordinate& grid, const solve_options& options) {
  return solve_on(grid, options, shifts.size(), [](auto& solver, auto& b, auto& x) {
    return solver.solve_shifted(b, shifts, x);
  });
}
outcomes solve_masses(const coordinate& grid, const solve_options& options, bool point = false) {
  return solve_on(
      grid, options, masses.size(),
      [](auto& solver, auto& b, auto& x) { return solver.solve_masses(b, masses, x); }, point);
}
outcomes solve_one(const coordinate& grid, const solve_options& options, bool point = false) {
  return solve_on(
      grid, options, 1,
      [](auto& solver, auto& b, auto& x) { return std::vector{solver.solve(b, x)}; }, point);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_shift_solves_its_system_and_larger_ones_sooner) {
  for (const dslash kind : {dslash::wilson, dslash::staggered}) {
    for (const auto& [numbers, tolerance] :
         {std::pair{precision::double_, 1e-12}, std::pair{precision::mixed, 1e-12},
          std::pair{precision::single, 5e-6}, std::pair{precision::half, 5e-6}}) {
      const outcomes got = solve_shifted(whole, variant_options(kind, numbers, tolerance));
      BOOST_TEST_CONTEXT("operator " << static_cast<int>(kind) << ", numbers "
                                     << static_cast<int>(numbers)) {
        BOOST_TEST(got.converged());
        for (const solve_report& report : got.reports) {
          BOOST_TEST(report.residual_true <= 1.001 * tolerance);
        }
        BOOST_TEST(got.reports[1].iterations >= got.reports[2].iterations);
        BOOST_TEST(got.reports[2].iterations > got.reports[0].iterations);
        BOOST_TEST(got.reports[0].iterations > got.reports[3].iterations);
      }
    }
  }
}

/// The residual is computed by the reference operator here, not taken from the report.
BOOST_AUTO_TEST_CASE(shifts_are_of_the_squared_operator) {
  on_division({lattice, whole}, [&](const gauge_field& links) {
    propagator_solver solver(links, variant_options(dslash::wilson));
    const fermion b = noise(links.geometry(), 12, 3);
    fermion x(b.size() * shifts.size());
    solver.solve_shifted(b, shifts, x);
    reference::wilson m(links, 0.3, true);
    for (std::size_t k = 0; k < shifts.size(); ++k) {
      const std::span part = std::span(x).subspan(k * b.size(), b.size());
      fermion between(b.size()), image(b.size());
      m.apply(part, between);
      m.apply(between, image, true);
      for (std::size_t i = 0; i < b.size(); ++i) image[i] += shifts[k] * part[i];
      BOOST_TEST(largest_difference(image, b) < 1e-9);
    }
  });
}

BOOST_AUTO_TEST_CASE(several_masses_at_once_are_those_one_by_one) {
  solve_options options = variant_options(dslash::staggered, precision::double_, 1e-12);
  for (const bool point : {false, true}) {
    const outcomes together = solve_masses(whole, options, point);
    BOOST_TEST(together.converged());
    for (std::size_t k = 0; k < masses.size(); ++k) {
      solve_options alone = options;
      alone.dirac = with_mass(alone.dirac, masses[k]);
      const outcomes one = solve_one(whole, alone, point);
      BOOST_TEST(largest_difference(together.solutions[k], one.solutions[0]) < 1e-9);
      // A heavier mass costs nothing but its vectors.
      BOOST_TEST(together.reports[k].iterations <= together.reports[1].iterations);
    }
  }
}

BOOST_AUTO_TEST_CASE(pipelined_cg_finds_the_solution_of_cg_in_as_many_iterations) {
  for (const dslash kind : {dslash::wilson, dslash::staggered}) {
    for (const auto& [numbers, tolerance] :
         {std::pair{precision::double_, 1e-12}, std::pair{precision::mixed, 1e-12},
          std::pair{precision::single, 5e-6}}) {
      solve_options options = variant_options(kind, numbers, tolerance);
      const outcomes expected = solve_one(whole, options);
      options.solver = solver_kind::pipelined_cg;
      const outcomes got = solve_one(whole, options);
      BOOST_TEST_CONTEXT("operator " << static_cast<int>(kind) << ", numbers "
                                     << static_cast<int>(numbers)) {
        BOOST_TEST(got.converged());
        BOOST_TEST(got.reports[0].residual_true <= 1.001 * tolerance);
        BOOST_TEST(got.reports[0].iterations <= 1.1 * expected.reports[0].iterations + 2);
        BOOST_TEST(largest_difference(got.solutions[0], expected.solutions[0]) < 1000 * tolerance);
      }
    }
  }
}

// If its recurrences were never replaced, or updates waited for what the gains in residual add up
// to, it would take about twice as many.
BOOST_AUTO_TEST_CASE(pipelined_cg_keeps_its_recurrences_true_in_mixed_precision) {
  const int exact = iterations_on_smooth_links(solver_kind::pipelined_cg, precision::double_);
  const int mixed = iterations_on_smooth_links(solver_kind::pipelined_cg, precision::mixed);
  BOOST_TEST(mixed <= 1.5 * exact);
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_the_grid_or_the_threads) {
  solve_options pipelined = variant_options(dslash::wilson, precision::mixed, 1e-10);
  pipelined.solver = solver_kind::pipelined_cg;
  const solve_options shifted = variant_options(dslash::wilson, precision::mixed, 1e-10);
  const solve_options staggered = variant_options(dslash::staggered);
  const outcomes one = solve_one(whole, pipelined);
  const outcomes several = solve_shifted(whole, shifted);
  const outcomes quarks = solve_masses(whole, staggered, true);
  for (const coordinate& grid : {coordinate{1, 1, 1, 2}, coordinate{2, 1, 2, 1}}) {
    for (const int threads : {1, 2}) {
      const auto with_threads = [threads](solve_options options) {
        options.threads = threads;
        return options;
      };
      BOOST_TEST((solve_one(grid, with_threads(pipelined)).solutions == one.solutions));
      BOOST_TEST((solve_shifted(grid, with_threads(shifted)).solutions == several.solutions));
      BOOST_TEST((solve_masses(grid, with_threads(staggered), true).solutions == quarks.solutions));
    }
  }
}

BOOST_AUTO_TEST_CASE(columns_of_pipelined_cg_have_the_bits_they_have_alone) {
  solve_options options = variant_options(dslash::wilson, precision::mixed, 1e-10);
  options.solver = solver_kind::pipelined_cg;
  const auto solve = [&](int rhs) {
    options.rhs = rhs;
    return solve_on(whole, options, 3, [](auto& solver, auto& b, auto& x) {
      fermion three = b;
      for (const int seed : {11, 12}) {
        const fermion next = noise(solver.geometry(), 12, seed);
        three.insert(three.end(), next.begin(), next.end());
      }
      return solver.solve_many(three, x);
    });
  };
  const outcomes alone = solve(1), together = solve(3);
  BOOST_TEST((together.solutions == alone.solutions));
  BOOST_TEST(alone.converged());
}

BOOST_AUTO_TEST_CASE(reductions_are_as_few_as_the_algorithm_needs) {
  on_division({lattice, whole}, [&](const gauge_field& links) {
    thread_team team(1);
    solve_options options = variant_options(dslash::wilson);
    options.rhs = 1;
    for (const auto& [solver, each] :
         {std::pair{solver_kind::cg, 2}, std::pair{solver_kind::bicgstab, 2},
          std::pair{solver_kind::pipelined_cg, 1}}) {
      solver_level level(links, options, field_precision::double_, 18, choose_instruction_set(),
                         team);
      const auto reductions = [&](int iterations) {
        lane_field x = level.op.make_field(1), r = level.op.make_field(1);
        spread(level.layout, noise(links.geometry(), 12, 2), r);
        krylov_limits limits;
        limits.rhs = {{0.0, iterations}};
        const int before = level.algebra.reductions();
        level.run(solver, x, r, limits);
        return level.algebra.reductions() - before;
      };
      BOOST_TEST(reductions(9) - reductions(4) == 5 * each);
    }
  });
}

BOOST_AUTO_TEST_CASE(misuse_is_refused) {
  const auto refused = [](solve_options options, const std::vector<double>& values, bool mass) {
    BOOST_CHECK_THROW(solve_on(whole, options, values.size(),
                               [&](auto& solver, auto& b, auto& x) {
                                 return mass ? solver.solve_masses(b, values, x)
                                             : solver.solve_shifted(b, values, x);
                               }),
                      usage_error);
  };
  refused(variant_options(dslash::wilson), {0.1, -0.1}, false);
  refused(variant_options(dslash::wilson), {}, false);
  refused(variant_options(dslash::wilson), {0.1}, true);
  refused(variant_options(dslash::staggered), {0.1, 0.0}, true);
  solve_options options = variant_options(dslash::wilson);
  options.solver = solver_kind::bicgstab;
  refused(options, {0.1}, false);
  options = variant_options(dslash::wilson, precision::half, 1e-5);
  options.solver = solver_kind::pipelined_cg;
  BOOST_CHECK_THROW(solve_one(whole, options), usage_error);
}
