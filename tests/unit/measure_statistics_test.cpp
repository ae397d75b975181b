#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "measure/statistics.hpp"
#include "measure/stopping.hpp"

using namespace onehop::measure;

namespace {

template <class Distribution>
std::vector<double> draw(std::size_t count, Distribution from, std::mt19937_64& dice) {
  std::vector<double> values(count);
  std::ranges::generate(values, [&] { return from(dice); });
  return values;
}

/// Returns how often the interval holds the true median.
template <class Distribution>
double coverage(std::size_t count, Distribution from, double truth) {
  std::mt19937_64 dice(7);
  constexpr int trials = 4000;
  int held = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const interval found = median_interval(draw(count, from, dice));
    held += found.low <= truth && truth <= found.high;
  }
  return static_cast<double>(held) / trials;
}

}  // namespace

BOOST_AUTO_TEST_CASE(median_is_the_middle_and_ignores_the_wild) {
  BOOST_TEST(median(std::vector{3.0}) == 3);
  BOOST_TEST(median(std::vector{4.0, 1.0}) == 2.5);
  BOOST_TEST(median(std::vector{1.0, 1e9, 2.0, 3.0, -5.0}) == 2);
}

BOOST_AUTO_TEST_CASE(interval_holds_the_median_of_any_distribution_95_times_in_100) {
  for (const std::size_t count : {6U, 7U, 25U, 100U}) {
    BOOST_TEST(coverage(count, std::normal_distribution<>(5, 2), 5) >= 0.945);
    BOOST_TEST(coverage(count, std::exponential_distribution<>(1), std::log(2.0)) >= 0.945);
    BOOST_TEST(coverage(count, std::cauchy_distribution<>(1, 1), 1) >= 0.945);
  }
}

BOOST_AUTO_TEST_CASE(interval_is_not_wider_than_needed) {
  BOOST_TEST(coverage(100, std::normal_distribution<>(), 0) <= 0.97);
  // The binomial law takes all of 6 values, and the second to the eighth of 9.
  const interval of_nine = median_interval(std::vector{9., 1., 8., 2., 7., 3., 6., 4., 5.});
  BOOST_TEST(of_nine.low == 2);
  BOOST_TEST(of_nine.high == 8);
}

BOOST_AUTO_TEST_CASE(spread_shrinks_as_the_root_of_the_count) {
  std::mt19937_64 dice(3);
  const double few = summarize(draw(100, std::normal_distribution<>(10, 1), dice)).spread;
  const double many = summarize(draw(10000, std::normal_distribution<>(10, 1), dice)).spread;
  BOOST_TEST(few / many > 5);
  BOOST_TEST(few / many < 20);
}

BOOST_AUTO_TEST_CASE(pairs_see_through_a_drift_that_medians_do_not) {
  std::mt19937_64 dice(5);
  std::vector<double> ours, theirs;
  for (int i = 0; i < 60; ++i) {
    const double machine = 1 + 0.1 * i;  // the machine becomes seven times slower
    ours.push_back(machine * std::normal_distribution<>(1.00, 0.01)(dice));
    theirs.push_back(machine * std::normal_distribution<>(1.25, 0.01)(dice));
  }
  const comparison found = compare_pairs(ours, theirs, 1.1);
  BOOST_TEST(found.ratio == 0.8, boost::test_tools::tolerance(0.02));
  BOOST_TEST(name(found.result) == "FAST");
  BOOST_TEST(name(compare_pairs(theirs, ours, 1.1).result) == "SLOW");
  BOOST_TEST(name(compare_pairs(theirs, ours, 1.3).result) == "SAME");
}

BOOST_AUTO_TEST_CASE(doubt_is_called_ambiguous) {
  const std::vector<double> one(20, 1.0);
  std::vector<double> unsteady;
  for (int i = 0; i < 20; ++i) unsteady.push_back(i % 2 == 0 ? 0.5 : 2.0);
  BOOST_TEST(name(compare_pairs(unsteady, one, 1.1).result) == "AMBIGUOUS");
  const std::vector<double> few(5, 1.0);
  BOOST_TEST(name(compare_pairs(few, few, 1.1).result) == "AMBIGUOUS");
  BOOST_TEST(name(compare_pairs(one, one, 1.1).result) == "SAME");
}

BOOST_AUTO_TEST_CASE(criterion_wants_samples_and_time_and_a_small_spread) {
  const stopping_limits limits{microseconds(100), microseconds(1000), 0.01, 6};
  const std::vector<double> steady(10, 2.0);
  const std::vector<double> wild{1, 9, 2, 8, 3, 7, 4, 6, 5, 1};
  BOOST_CHECK(check_progress(limits, steady, microseconds(200)) == progress::met);
  BOOST_CHECK(check_progress(limits, steady, microseconds(50)) == progress::more);
  BOOST_CHECK(check_progress(limits, std::span(steady).first(5), microseconds(200)) ==
              progress::more);
  BOOST_CHECK(check_progress(limits, wild, microseconds(200)) == progress::more);
  BOOST_CHECK(check_progress(limits, wild, microseconds(1000)) == progress::time_limit);
}

BOOST_AUTO_TEST_CASE(criterion_says_when_it_was_not_met) {
  const stopping_limits limits{microseconds(0), microseconds(1000), 0.01, 6};
  const std::string met = explain(limits, std::vector<double>(8, 1.0), microseconds(10));
  BOOST_TEST(met == "spread 0% met the goal of 1%");
  const std::vector<double> wild{1, 9, 2, 8, 3, 7};
  const std::string unmet = explain(limits, wild, microseconds(2e6));
  BOOST_TEST(unmet == "stopped after 2 s and 6 samples with spread 80%, the goal was 1%");
}
