// The loop of a solve is tried over a back end that has no fields: it answers from a script and
// notes what it was asked.

#include "solver/linear_system.hpp"

#include <onehop/error.hpp>

#include <boost/test/unit_test.hpp>

#include <limits>
#include <utility>

using namespace onehop;
using boost::test_tools::per_element;

namespace {

/// A run has what the recurrence says of each right-hand side, and |r| of those, computed again.
struct run {
  krylov_results results;
  rhs_values norms;
};

class scripted_system final : public linear_system {
 public:
  scripted_system(const solve_options& options, rhs_values source_norms, std::vector<run> runs)
      : linear_system(options), source_norms_(std::move(source_norms)), runs_(std::move(runs)) {}

  std::vector<solve_report> solve() { return linear_system::solve({}, {}, 0); }
  time_split time_spent() const override { return {}; }
  double flops() const override { return 0; }
  std::string kernels() const override { return "script"; }

  std::vector<std::vector<int>> iterated;  ///< the right-hand sides of each run
  std::vector<krylov_limits> limits;       ///< the limits of each run
  int finished = 0, stored = 0;

 private:
  rhs_values load(field) override { return source_norms_; }
  krylov_results iterate(std::span<const int> numbers, const krylov_limits& given) override {
    iterated.emplace_back(numbers.begin(), numbers.end());
    limits.push_back(given);
    return runs_.at(iterated.size() - 1).results;
  }
  rhs_values finish(std::span<const int>) override {
    ++finished;
    return runs_.at(iterated.size() - 1).norms;
  }
  void store(solution) override { ++stored; }

  rhs_values source_norms_;
  std::vector<run> runs_;
};

solve_options options_of(precision numbers, int max_iterations = 100) {
  solve_options options;
  options.precision = numbers;
  options.tolerance = 1e-8;
  options.max_iterations = max_iterations;
  return options;
}

constexpr double met = 0.9e-8, missed = 1e-6;

}  // namespace

BOOST_AUTO_TEST_CASE(only_a_residual_that_was_computed_counts_as_convergence) {
  // The recurrence believes both to be solved; b - S x says otherwise of the second.
  scripted_system system(options_of(precision::double_), {1, 1},
                         {{{{30, met}, {40, met}}, {met, missed}}, {{{5, met}}, {met}}});
  const std::vector<solve_report> reports = system.solve();
  BOOST_TEST_REQUIRE((system.iterated == std::vector<std::vector<int>>{{0, 1}, {1}}));
  BOOST_TEST((reports[0].converged && reports[1].converged));
  BOOST_TEST(reports[0].iterations == 30);
  BOOST_TEST(reports[1].iterations == 45);
  BOOST_TEST(system.limits[1].rhs[1].max_iterations == 60);
  BOOST_TEST(system.stored == 1);
}

BOOST_AUTO_TEST_CASE(restarts_end_where_they_do_not_gain) {
  scripted_system system(options_of(precision::double_), {1},
                         {{{{10, met}}, {4e-6}},
                          {{{10, met}}, {1.9e-6}},
                          {{{10, met}}, {1e-6}},
                          {{{10, met}}, {met}}});
  const std::vector<solve_report> reports = system.solve();
  BOOST_TEST(system.iterated.size() == 3u);
  BOOST_TEST(!reports[0].converged);
  BOOST_TEST(reports[0].iterations == 30);
}

BOOST_AUTO_TEST_CASE(an_iteration_limit_ends_restarts_too) {
  scripted_system system(options_of(precision::double_, 20), {1}, {{{{20, missed}}, {missed}}});
  BOOST_TEST(!system.solve()[0].converged);
  BOOST_TEST(system.iterated.size() == 1u);
  BOOST_TEST(system.limits[0].rhs[0].max_iterations == 20);
}

BOOST_AUTO_TEST_CASE(residuals_that_updates_have_computed_are_not_computed_once_more) {
  scripted_system known(options_of(precision::mixed), {1, 1},
                        {{{{30, met, 3, true}, {40, met, 4, true}}, {}}});
  const std::vector<solve_report> reports = known.solve();
  BOOST_TEST(known.finished == 0);
  BOOST_TEST(known.limits[0].rule.fall > 0);
  BOOST_TEST(reports[0].reliable_updates == 3);
  BOOST_TEST((reports[0].converged && reports[1].converged));
  // One has iterated since its last update, or its update has not met the target.
  for (const krylov_result& other :
       {krylov_result{40, met, 4, false}, krylov_result{40, missed, 4, true}}) {
    scripted_system open(options_of(precision::mixed), {1, 1},
                         {{{{30, met, 3, true}, other}, {met, met}}});
    BOOST_TEST(open.solve()[1].converged);
    BOOST_TEST(open.finished == 1);
  }
}

BOOST_AUTO_TEST_CASE(targets_are_relative_to_the_source_and_zero_is_solved_at_once) {
  scripted_system system(options_of(precision::double_), {2, 0, 10},
                         {{{{3, 2 * met}, {4, 10 * met}}, {2 * met, 10 * met}}});
  const std::vector<solve_report> reports = system.solve();
  BOOST_TEST(system.iterated[0] == (std::vector{0, 2}), per_element());
  BOOST_TEST(system.limits[0].rhs[0].target == 2e-8);
  BOOST_TEST(system.limits[0].rhs[2].target == 10e-8);
  BOOST_TEST((reports[1].converged && reports[1].iterations == 0));
  BOOST_TEST(reports[2].converged);
}

// The check of the whole residual, in double, finds what rounding has left on the other sites, too.
BOOST_AUTO_TEST_CASE(single_precision_aims_below_the_tolerance_whatever_the_solver) {
  for (const solver_kind solver :
       {solver_kind::cg, solver_kind::bicgstab, solver_kind::pipelined_cg, solver_kind::block_cg}) {
    solve_options options = options_of(precision::single);
    options.solver = solver;
    scripted_system system(options, {1}, {{{{3, met}}, {met}}});
    BOOST_TEST(system.solve()[0].converged);
    BOOST_TEST(system.limits[0].rhs[0].target < 0.98e-8);
  }
}

BOOST_AUTO_TEST_CASE(a_number_that_is_not_finite_ends_a_solve_in_an_error) {
  const double infinite = std::numeric_limits<double>::infinity();
  scripted_system source(options_of(precision::double_), {infinite}, {});
  BOOST_CHECK_THROW(source.solve(), numeric_error);
  scripted_system residual(options_of(precision::double_), {1}, {{{{3, met}}, {infinite}}});
  BOOST_CHECK_THROW(residual.solve(), numeric_error);
}
