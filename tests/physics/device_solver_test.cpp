// Solves by the kernels and the layout of a device, run on the host, must be as good as promised
// and take as many iterations as the host's solver, cut over ranks or not.

#include "solver/device_choice.hpp"

#include <onehop/error.hpp>

#include <boost/test/unit_test.hpp>

#include "physics/solve_tools.hpp"

using namespace onehop;
using namespace onehop::tests;

namespace {

/// Solves by the device's kernels on one and on several ranks, which must be as good, and take as
/// much work, as on the host.
void solve_as_the_host_does(const solve_options& options) {
  const outcome expected = solve_on({1, 1, 1, 1}, options);
  // The next step of BiCGStab depends on the last bits of the steps before.
  const double spread = options.solver == solver_kind::bicgstab ? 0.3 : 0.15;
  for (const coordinate& grid : {coordinate{1, 1, 1, 1}, coordinate{1, 1, 2, 2}}) {
    const outcome got = solve_on(grid, options, true);
    BOOST_TEST_CONTEXT(to_string(grid)
                       << ", operator " << options.dirac.index() << ", solver "
                       << static_cast<int>(options.solver) << ", recon " << options.recon
                       << ", numbers " << static_cast<int>(options.precision)) {
      BOOST_TEST(got.report.converged);
      BOOST_TEST(got.report.residual_true <= 1.001 * options.tolerance);
      BOOST_TEST(got.report.iterations <= (1 + spread) * expected.report.iterations + 3);
      BOOST_TEST(got.report.iterations >= (1 - spread) * expected.report.iterations - 3);
      BOOST_TEST(std::abs(got.report.flops / expected.report.flops - 1) < spread + 0.05);
      BOOST_TEST(largest_difference(got.solution, expected.solution) < 100 * options.tolerance);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(device_solves_as_the_host_does) {
  struct way {
    precision numbers;
    int recon;
    double tolerance;
  };
  const way ways[] = {{precision::double_, 18, 1e-11},
                      {precision::single, 12, 2e-6},
                      {precision::mixed, 8, 1e-11},
                      {precision::mixed, 12, 1e-11},
                      {precision::half, 18, 2e-6}};
  for (const dslash kind : {dslash::wilson, dslash::clover, dslash::staggered, dslash::hisq}) {
    for (const way& how : ways) {
      if (is_improved(kind) && how.recon < 18 && how.numbers != precision::mixed) continue;
      const int recon = is_improved(kind) ? 18 : how.recon;
      solve_options options = options_for(kind, how.numbers, recon, how.tolerance);
      if (kind == dslash::clover && how.recon != 12) std::get<clover>(options.dirac).mu = 0.3;
      solve_as_the_host_does(options);
      if (is_staggered(kind) || how.recon == 12) continue;
      options.solver = solver_kind::bicgstab;
      solve_as_the_host_does(options);
    }
  }
}

BOOST_AUTO_TEST_CASE(device_and_host_update_the_residual_equally_often) {
  for (const dslash kind : {dslash::wilson, dslash::clover, dslash::staggered, dslash::hisq}) {
    for (const precision numbers : {precision::mixed, precision::half}) {
      // The tolerance is one that single precision, in which solutions then are, resolves: below
      // that rounding decides.
      const double tolerance = numbers == precision::mixed ? 1e-11 : 1e-5;
      const solve_options options = options_for(kind, numbers, 18, tolerance);
      const solve_report host = solve_on({1, 1, 1, 1}, options).report;
      const solve_report device = solve_on({1, 1, 1, 1}, options, true).report;
      BOOST_TEST_CONTEXT("operator " << options.dirac.index() << ", numbers "
                                     << static_cast<int>(numbers)) {
        BOOST_TEST(host.reliable_updates > 1);
        BOOST_TEST(device.reliable_updates == host.reliable_updates);
        BOOST_TEST(std::abs(device.iterations - host.iterations) <= 1);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(unreachable_tolerance_ends_unconverged) {
  for (const precision numbers : {precision::single, precision::half, precision::mixed}) {
    const double beyond = numbers == precision::mixed ? 1e-18 : 1e-11;
    solve_options options = options_for(dslash::wilson, numbers, 18, beyond);
    const outcome result = solve_on({1, 1, 1, 1}, options, true);
    BOOST_TEST(!result.report.converged);
    BOOST_TEST(result.report.iterations < 2000);
  }
}

BOOST_AUTO_TEST_CASE(iteration_limit_is_exact) {
  solve_options options = options_for(dslash::wilson, precision::double_, 18, 1e-11);
  options.max_iterations = 5;
  const outcome result = solve_on({1, 1, 1, 1}, options, true);
  BOOST_TEST(result.report.iterations == 5);
  BOOST_TEST(!result.report.converged);
}

BOOST_AUTO_TEST_CASE(what_no_device_does_is_refused) {
  solve_options pipelined = options_for(dslash::wilson, precision::double_, 18, 1e-10);
  pipelined.solver = solver_kind::pipelined_cg;
  BOOST_CHECK_THROW(solve_on({1, 1, 1, 1}, pipelined, true), usage_error);
  solve_options odd = options_for(dslash::wilson, precision::double_, 18, 1e-10);
  BOOST_CHECK_THROW(on_division({{6, 4, 4, 4}, {2, 1, 1, 1}},
                                [&](const gauge_field& links) { solver_for(links, odd, true); }),
                    usage_error);
}

BOOST_AUTO_TEST_CASE(ranks_of_a_machine_are_dealt_its_devices) {
  using names = std::vector<std::string>;
  const names a = {"a 1", "a 2"}, b = {"b 1", "b 2"};
  const std::vector<names> seen = {a, b, a, b, a};
  BOOST_TEST(device_of_rank(seen, 0, false) == 0);
  BOOST_TEST(device_of_rank(seen, 1, false) == 0);
  BOOST_TEST(device_of_rank(seen, 2, false) == 1);
  BOOST_TEST(device_of_rank(seen, 3, false) == 1);
  BOOST_TEST(device_of_rank(seen, 4, true) == 0);
  BOOST_CHECK_THROW(device_of_rank(seen, 4, false), usage_error);
}

BOOST_AUTO_TEST_CASE(ranks_that_see_a_device_each_take_it) {
  using names = std::vector<std::string>;
  const std::vector<names> apart = {{"a 1"}, {"a 2"}, {"a 3", "a 1"}, {"a 3", "a 1"}};
  BOOST_TEST(device_of_rank(apart, 0, false) == 0);
  BOOST_TEST(device_of_rank(apart, 1, false) == 0);
  BOOST_TEST(device_of_rank(apart, 2, false) == 0);
  BOOST_CHECK_THROW(device_of_rank(apart, 3, false), usage_error);
  BOOST_TEST(device_of_rank(apart, 3, true) == 0);
  const std::vector<names> none_before = {{}, {"a 1"}};
  BOOST_TEST(device_of_rank(none_before, 1, false) == 0);
}

BOOST_AUTO_TEST_CASE(devices_are_named_for_all_ranks) {
  run_on_threads(3, [](const context& ctx) {
    std::vector<std::string> buses;
    for (int device = 0; device < ctx.rank(); ++device)
      buses.push_back("bus " + std::to_string(device));
    const auto seen = devices_seen(ctx, buses);
    if (seen.size() != 3 || !seen[0].empty() || seen[2].size() != 2 || seen[1][0] != seen[2][0] ||
        !seen[2][1].ends_with(" bus 1"))
      throw std::logic_error("devices are not named by machine and bus");
  });
}
