// In block CG right-hand sides search together.

#include <onehop/error.hpp>

#include <boost/test/unit_test.hpp>

#include "dirac/kernel_table.hpp"
#include "physics/solve_tools.hpp"

using namespace onehop;
using namespace onehop::tests;

namespace {

const coordinate lattice{4, 4, 4, 8};
const coordinate whole{1, 1, 1, 1};

solve_options block_options(dslash kind, precision numbers = precision::double_,
                            double tolerance = 1e-12) {
  solve_options options = options_for(kind, numbers, 18, tolerance);
  if (is_staggered(kind)) options.dirac = operator_of(kind, 0.1);
  options.solver = solver_kind::block_cg;
  options.rhs = most_mixed_rhs;
  return options;
}

/// Source j is sum_i mixing[j][i] times noise i.
using mixing = std::vector<std::vector<double>>;

mixing independent(int columns) {
  mixing result(columns, std::vector<double>(columns));
  for (int k = 0; k < columns; ++k) result[k][k] = 1;
  return result;
}

fermion mixed_sources(const geometry& g, int components, const mixing& sources) {
  const std::size_t field = g.local_volume() * components;
  fermion b(sources.size() * field);
  for (std::size_t i = 0; i < sources[0].size(); ++i) {
    const fermion one = noise(g, components, i + 5);
    for (std::size_t k = 0; k < b.size(); ++k) b[k] += sources[k / field][i] * one[k % field];
  }
  return b;
}

outcomes solve_on(const division& where, const solve_options& options, const mixing& sources) {
  return solve_several(where, options, sources.size(), [&](auto& solver, fermion& x) {
    const fermion b = mixed_sources(solver.geometry(), components(kind_of(options.dirac)), sources);
    return solver.solve_many(b, x);
  });
}

outcomes solve_on(const coordinate& grid, const solve_options& options, const mixing& sources) {
  return solve_on(division{lattice, grid}, options, sources);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_column_is_solved_in_no_more_iterations_than_alone) {
  for (const dslash kind : {dslash::wilson, dslash::clover, dslash::staggered, dslash::asqtad}) {
    for (const auto& [numbers, tolerance] :
         {std::pair{precision::double_, 1e-12}, std::pair{precision::mixed, 1e-12},
          std::pair{precision::single, 2e-5}}) {
      const solve_options options = block_options(kind, numbers, tolerance);
      solve_options one_by_one = options;
      one_by_one.solver = solver_kind::cg;
      const outcomes expected = solve_on(whole, one_by_one, independent(6));
      const outcomes got = solve_on(whole, options, independent(6));
      BOOST_TEST_CONTEXT("operator " << static_cast<int>(kind) << ", numbers "
                                     << static_cast<int>(numbers)) {
        BOOST_TEST(got.converged());
        BOOST_TEST(got.worst_residual() <= 1.001 * tolerance);
        BOOST_TEST(got.iterations() > 0);
        // All right-hand sides wait for an update.
        BOOST_TEST(got.iterations() <= expected.iterations() + 4);
        // On random links the staggered operator has some small eigenvalues that stand alone.
        if (kind == dslash::staggered && numbers == precision::double_) {
          BOOST_TEST(got.iterations() < 0.7 * expected.iterations());
        }
        for (int k = 0; k < 6; ++k) {
          BOOST_TEST(largest_difference(got.solutions[k], expected.solutions[k]) <
                     1000 * tolerance);
        }
      }
    }
  }
}

// In an iteration of s columns their vectors are mixed four times and multiplied twice, half of
// which symmetry spares: 4 s flops for each real number and mixing, 2 s for each product.
BOOST_AUTO_TEST_CASE(the_flops_of_mixing_grow_with_the_square_of_the_columns) {
  const auto flops_of_iteration = [](int columns) {
    const outcomes got = solve_on(whole, block_options(dslash::wilson), independent(columns));
    double sum = 0;
    for (const solve_report& one : got.reports) sum += one.flops;
    return sum / got.iterations();
  };
  const auto reals = static_cast<double>(volume(lattice) / 2 * 12 * 2);
  const double expected = (4 * 4 + 2 * 2) * (8 * 8 - 2 * 4 * 4) * reals;
  BOOST_TEST(flops_of_iteration(8) - 2 * flops_of_iteration(4) == expected,
             boost::test_tools::tolerance(0.1));
}

BOOST_AUTO_TEST_CASE(dependent_sources_are_solved_as_far_as_any) {
  const double tiny = 1e-9;
  const std::vector<mixing> cases = {
      {{1, 0}, {1, 0}},                        // equal sources
      {{1, 0}, {1, tiny}},                     // a pair that is nearly equal
      {{1, 0, 0}, {0, 1, 0}, {2, -3, 0}},      // a source in the span of others
      {{1, 0, 0}, {0, 0, 0}, {0, 0, 1}},       // a source of zeros
      {{1, 0}, {1, tiny}, {0, 1}},             // nearly equal sources
      {{1e8, 0, 0}, {0, 1e-8, 0}, {0, 0, 1}},  // sources of any size
  };
  for (const dslash kind : {dslash::wilson, dslash::staggered}) {
    for (const precision numbers : {precision::double_, precision::mixed}) {
      for (std::size_t k = 0; k < cases.size(); ++k) {
        const outcomes got = solve_on(whole, block_options(kind, numbers), cases[k]);
        BOOST_TEST_CONTEXT("operator " << static_cast<int>(kind) << ", numbers "
                                       << static_cast<int>(numbers) << ", sources " << k) {
          BOOST_TEST(got.converged());
          BOOST_TEST(got.worst_residual() <= 1.001e-12);
          if (k == 0) BOOST_TEST(largest_difference(got.solutions[0], got.solutions[1]) < 1e-12);
        }
      }
    }
  }
}

/// There are 24 numbers on the odd sites: twelve right-hand sides have searched everything after
/// two iterations.
BOOST_AUTO_TEST_CASE(a_block_that_fills_the_whole_space_ends) {
  const outcomes got = solve_on(division{{2, 2, 2, 2}, whole}, block_options(dslash::staggered),
                                independent(most_mixed_rhs));
  BOOST_TEST(got.converged());
  BOOST_TEST(got.worst_residual() <= 1e-12);
  BOOST_TEST(got.iterations() <= 4);
}

// A constant field is an eigenvector of the free operator: its column is solved at once, and one
// column is left. Of the noise each of three squared momenta takes an iteration.
BOOST_AUTO_TEST_CASE(the_last_column_of_a_block_searches_on_alone) {
  run_on_threads(1, [](context ctx) {
    gauge_field links(geometry(ctx, {8, 2, 2, 2}, {1, 1, 1, 1}));
    set_cold(links);
    links.exchange_ghosts();
    solve_options options = block_options(dslash::staggered);
    options.boundary = boundary::periodic;
    fermion b = noise(links.geometry(), 3, 5);
    b.insert(b.end(), b.size(), 1.0);
    fermion x(b.size());
    for (const solve_report& report : propagator_solver(links, options).solve_many(b, x)) {
      BOOST_TEST(report.converged);
      BOOST_TEST(report.iterations <= 3);
    }
  });
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_the_grid_or_the_threads) {
  for (const dslash kind : {dslash::wilson, dslash::staggered}) {
    const solve_options options = block_options(kind, precision::mixed, 1e-10);
    const outcomes one = solve_on(whole, options, independent(5));
    for (const coordinate& grid : {coordinate{1, 1, 1, 2}, coordinate{2, 1, 2, 1}}) {
      for (const int threads : {1, 2}) {
        solve_options divided = options;
        divided.threads = threads;
        BOOST_TEST((solve_on(grid, divided, independent(5)).solutions == one.solutions));
      }
    }
  }
}

// If updates waited for what the gains in residual add up to, mixed precision would take four times
// as many.
BOOST_AUTO_TEST_CASE(mixed_precision_costs_few_iterations_on_smooth_links) {
  const int exact = iterations_on_smooth_links(solver_kind::block_cg, precision::double_);
  const int mixed = iterations_on_smooth_links(solver_kind::block_cg, precision::mixed);
  BOOST_TEST(mixed <= 1.4 * exact);
  BOOST_TEST(3 * exact < 1.2 * iterations_on_smooth_links(solver_kind::cg, precision::double_));
}

/// On random links the staggered operator is nearly singular at small masses: single precision
/// loses the directions of a block there, and took five times as many iterations.
BOOST_AUTO_TEST_CASE(mixed_precision_keeps_the_gain_of_a_staggered_block) {
  solve_options options = block_options(dslash::staggered, precision::double_, 1e-10);
  options.dirac = staggered{.mass = 0.02};
  const int exact = solve_on(whole, options, independent(most_mixed_rhs)).iterations();
  options.precision = precision::mixed;
  const outcomes mixed = solve_on(whole, options, independent(most_mixed_rhs));
  BOOST_TEST(mixed.converged());
  BOOST_TEST(mixed.iterations() <= 1.1 * exact);
}

BOOST_AUTO_TEST_CASE(what_block_cg_cannot_do_is_refused) {
  BOOST_CHECK_THROW(
      solve_on(whole, block_options(dslash::wilson, precision::half, 1e-5), independent(2)),
      usage_error);
  solve_options options = block_options(dslash::wilson);
  options.rhs = most_mixed_rhs + 1;
  BOOST_CHECK_THROW(solve_on(whole, options, independent(2)), usage_error);
}
