#include "dirac/device/reliable_updates.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace onehop;

namespace {

struct ending {
  int iterations;
  bool stuck;
};

/// Counts iterations until a residual that begins at 1 is below 1e-8 or seems to be stuck:
/// carried(k) after k iterations, and truth(k) where it is computed again.
template <class Carried, class Truth>
ending iterate(double fall, const Carried& carried, const Truth& truth) {
  reliable_updates updates(1.0);
  for (int k = 1; k < 100000; ++k) {
    double residual = carried(k);
    if (updates.due(residual, residual, 1e-8, {.fall = fall})) {
      residual = truth(k);
      updates.updated(residual);
    }
    if (residual <= 1e-8) return {k, false};
    if (updates.stuck()) return {k, true};
  }
  return {100000, false};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_residual_that_falls_ever_slower_is_not_stuck) {
  // The residual falls first fast, then by half every 40 iterations: 300 from one update to the
  // next.
  const auto residual = [](int k) { return std::exp2(k < 24 ? -k / 3.0 : -8.0 - (k - 24) / 40.0); };
  const ending end = iterate(0.005, residual, residual);
  BOOST_TEST(!end.stuck);
  BOOST_TEST(residual(end.iterations) <= 1e-8);
}

BOOST_AUTO_TEST_CASE(a_residual_that_stays_where_it_is_is_stuck) {
  const auto residual = [](int k) { return std::exp2(-std::min(k, 20)); };
  const ending end = iterate(0.005, residual, residual);
  BOOST_TEST(end.stuck);
  BOOST_TEST(end.iterations < 200);
}

BOOST_AUTO_TEST_CASE(a_residual_that_falls_only_where_it_is_carried_along_is_stuck) {
  int at = 0;
  const auto truth = [](int k) { return std::max(1e-4, std::exp2(-k)); };
  // The recurrence's residual falls on from what the last update found.
  const auto carried = [&](int k) { return truth(at) * std::exp2((at - k) / 10.0); };
  const ending end = iterate(0.1, carried, [&](int k) { return truth(at = k); });
  BOOST_TEST(end.stuck);
  BOOST_TEST(end.iterations < 300);
}

BOOST_AUTO_TEST_CASE(the_faster_a_residual_falls_the_farther_it_falls_between_updates) {
  double farther = 0;
  for (const double factor : {0.1, 0.5, 0.9, 0.99, 0.9999}) {
    reliable_updates updates(1.0);
    double residual = factor, sum = 1.0 + factor;
    while (!updates.due(residual, residual, 0.0, {.fall = 0.1, .fall_of_sum = 5e-4})) {
      residual *= factor;
      sum += residual;
    }
    // The update comes as soon as both have been reached, and not before.
    const double low = std::min(0.1, 5e-4 * sum);
    BOOST_TEST(residual <= low);
    BOOST_TEST(residual > 0.999 * low * factor);
    BOOST_TEST(residual > farther);
    farther = residual;
  }
}
