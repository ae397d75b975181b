// Solutions in fewer digits and from compressed links must be as good as promised, and the same on
// every grid and for every number of threads.

#include <onehop/error.hpp>

#include <boost/test/unit_test.hpp>

#include "physics/solve_tools.hpp"

using namespace onehop;
using namespace onehop::tests;

namespace {

/// Returns how many reals the links of an operator can be kept in.
std::vector<int> recons(dslash kind) {
  return is_improved(kind) ? std::vector<int>{18} : std::vector<int>{18, 12, 8};
}

}  // namespace

BOOST_AUTO_TEST_CASE(mixed_precision_keeps_the_true_residual_and_the_iterations) {
  constexpr double tolerance = 1e-12;
  const std::vector<std::pair<dslash, solver_kind>> ways = {
      {dslash::wilson, solver_kind::cg},    {dslash::wilson, solver_kind::bicgstab},
      {dslash::clover, solver_kind::cg},    {dslash::clover, solver_kind::bicgstab},
      {dslash::staggered, solver_kind::cg}, {dslash::asqtad, solver_kind::cg}};
  for (const auto& [kind, solver] : ways) {
    solve_options options = options_for(kind, precision::double_, 18, tolerance);
    options.solver = solver;
    const outcome exact = solve_on({1, 1, 1, 1}, options);
    for (const int recon : recons(kind)) {
      options.precision = precision::mixed;
      options.recon = recon;
      const outcome mixed = solve_on({1, 1, 1, 1}, options);
      BOOST_TEST_CONTEXT("recon " << recon) {
        BOOST_TEST(mixed.report.converged);
        BOOST_TEST(mixed.report.residual_true <= 1.001 * tolerance);
        BOOST_TEST(mixed.report.iterations <= 1.1 * exact.report.iterations + 2);
        BOOST_TEST(largest_difference(mixed.solution, exact.solution) < 100 * tolerance);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(single_and_half_reach_what_they_promise) {
  for (const dslash kind : {dslash::wilson, dslash::clover, dslash::staggered, dslash::asqtad}) {
    for (const precision numbers : {precision::single, precision::half}) {
      for (const int recon : recons(kind)) {
        const outcome result = solve_on({1, 1, 1, 1}, options_for(kind, numbers, recon, 2e-6));
        BOOST_TEST_CONTEXT("operator " << static_cast<int>(kind) << ", recon " << recon
                                       << ", numbers " << static_cast<int>(numbers) << ", residual "
                                       << result.report.residual_true) {
          BOOST_TEST(result.report.converged);
          BOOST_TEST(result.report.residual_true <= 1.001 * 2e-6);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(double_from_compressed_links_is_as_good) {
  for (const int recon : {12, 8}) {
    const outcome result =
        solve_on({1, 1, 1, 1}, options_for(dslash::wilson, precision::double_, recon, 1e-12));
    BOOST_TEST(result.report.converged);
  }
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_ranks_or_threads) {
  for (const dslash kind : {dslash::wilson, dslash::clover, dslash::staggered, dslash::hisq}) {
    for (const precision numbers : {precision::mixed, precision::half}) {
      solve_options options = options_for(kind, numbers, is_improved(kind) ? 18 : 12, 1e-6);
      const outcome expected = solve_on({1, 1, 1, 1}, options);
      const std::vector<std::pair<int, coordinate>> ways = {
          {3, {1, 1, 1, 1}}, {1, {1, 1, 2, 1}}, {2, {1, 1, 1, 2}}};
      for (const auto& [threads, grid] : ways) {
        options.threads = threads;
        const outcome got = solve_on(grid, options);
        BOOST_TEST_CONTEXT(to_string(grid) << ", " << threads << " threads") {
          BOOST_TEST((got.solution == expected.solution));
          BOOST_TEST(got.report.iterations == expected.report.iterations);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(unreachable_tolerance_ends_unconverged) {
  for (const precision numbers : {precision::single, precision::half, precision::mixed}) {
    const double beyond = numbers == precision::mixed ? 1e-18 : 1e-11;
    const outcome result = solve_on({1, 1, 1, 1}, options_for(dslash::wilson, numbers, 18, beyond));
    BOOST_TEST(!result.report.converged);
    BOOST_TEST(result.report.iterations < 2000);
  }
}

BOOST_AUTO_TEST_CASE(links_that_fewer_reals_cannot_hold_are_refused) {
  for (const int recon : {12, 8}) {
    BOOST_CHECK_THROW(
        on_division({small, {1, 1, 1, 1}},
                    [&](const gauge_field& links) {
                      gauge_field wrong(links.geometry());
                      std::ranges::copy(links.data(), wrong.data().begin());
                      for (auto& entry : wrong.link(1, {1, 2, 1, 0})) entry *= 1.00001;
                      propagator_solver solver(
                          wrong, options_for(dslash::wilson, precision::double_, recon, 1e-10));
                    }),
        usage_error);
    BOOST_CHECK_THROW(
        solve_on({1, 1, 1, 1}, options_for(dslash::asqtad, precision::mixed, recon, 1e-10)),
        usage_error);
  }
}
