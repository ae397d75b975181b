// Two spins with one bond have the energy -c, where c is the cosine between them, with a uniform
// density in -1 to 1. The effect of tempering on two replicas of them is therefore an integral over
// two cosines.
#include <spin_glass/tempering.hpp>

#include <onehop/error.hpp>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>

using namespace spin_glass;

namespace {

constexpr double warm = 0.7, cold = 2.5;

double weight(double beta, double cosine) { return std::exp(beta * cosine); }
double langevin(double a) { return 1 / std::tanh(a) - 1 / a; }

/// Integrates over -1 to 1 with the tanh-sinh rule, in two parts that meet at `kink`.
double integral(const std::function<double(double)>& f, double kink) {
  constexpr double step = 1.0 / 32;
  double sum = 0;
  for (const auto& [a, b] : {std::array{-1.0, kink}, std::array{kink, 1.0}})
    for (int k = -100; k <= 100; ++k) {
      const double t = step * k, s = std::numbers::pi / 2 * std::sinh(t);
      const double slope = std::numbers::pi / 2 * std::cosh(t) / std::pow(std::cosh(s), 2);
      sum += step * slope * (b - a) / 2 * f((a + b) / 2 + (b - a) / 2 * std::tanh(s));
    }
  return sum;
}

/// Returns the mean of `of(warm cosine, cold cosine)` over two replicas in equilibrium.
double mean(const std::function<double(double, double)>& of) {
  const double norm = 4 * std::sinh(warm) / warm * std::sinh(cold) / cold;
  return integral(
             [&](double a) {
               return integral(
                   [&](double b) { return weight(warm, a) * weight(cold, b) * of(a, b); }, a);
             },
             0) /
         norm;
}

double probability(double warm_cosine, double cold_cosine) {
  return swap_probability({warm, -warm_cosine}, {cold, -cold_cosine});
}

}  // namespace

BOOST_AUTO_TEST_CASE(exchanges_of_two_spins_are_in_detailed_balance) {
  for (double a = -1; a <= 1; a += 0.125)
    for (double b = -1; b <= 1; b += 0.125) {
      const double there = weight(warm, a) * weight(cold, b) * probability(a, b),
                   back = weight(warm, b) * weight(cold, a) * probability(b, a);
      BOOST_TEST(std::abs(there / back - 1) < 1e-14, a << ", " << b);
      BOOST_TEST(std::max(probability(a, b), probability(b, a)) == 1);
    }
}

BOOST_AUTO_TEST_CASE(exchanges_of_two_spins_keep_the_mean_energy_at_each_temperature) {
  const auto after = [](double mine, double other, double p) { return p * other + (1 - p) * mine; };
  const double at_warm = mean([&](double a, double b) { return after(a, b, probability(a, b)); });
  const double at_cold = mean([&](double a, double b) { return after(b, a, probability(a, b)); });
  BOOST_TEST(std::abs(at_warm - langevin(warm)) < 1e-12, at_warm << ", " << langevin(warm));
  BOOST_TEST(std::abs(at_cold - langevin(cold)) < 1e-12, at_cold << ", " << langevin(cold));
}

// A replica with the lower energy goes to the cold place at once, and comes back with the
// probability of the rule.
BOOST_AUTO_TEST_CASE(replicas_are_exchanged_as_often_as_the_probability_says) {
  const std::array energies{-0.2, -1.0};
  const double expected = probability(0.2, 1.0);
  tempering of({warm, cold}, 5);
  double swapped = 0, tries = 0;
  for (int k = 0; k < 40000; ++k) {
    const bool in_order = of.places()[0] == 0;
    of.exchange(energies);
    if (k % 2 == 1) continue;  // Next, places 1 and 2 would be exchanged, which do not exist.
    if (!in_order) BOOST_TEST(of.places()[0] == 0);
    tries += in_order ? 1 : 0;
    swapped += in_order && of.places()[0] == 1 ? 1 : 0;
  }
  const double error = std::sqrt(expected * (1 - expected) / tries);
  BOOST_TEST(std::abs(swapped / tries - expected) < 4 * error, swapped / tries << ", " << expected);
  BOOST_TEST(of.pairs()[0].tried == 20000);
  BOOST_TEST(static_cast<double>(of.pairs()[0].swapped) == 20000 - tries + swapped);
}

BOOST_AUTO_TEST_CASE(replicas_wander_over_all_places_and_each_has_one) {
  tempering of({0.5, 0.6, 0.7, 0.8, 0.9}, 2);
  std::set<std::size_t> seen;
  for (int k = 0; k < 200; ++k) {
    of.exchange(std::array{-3.0, -2.0, -2.5, -3.0, -3.5});
    seen.insert(of.places()[0]);
    BOOST_TEST((std::set(of.places().begin(), of.places().end()).size() == 5));
    const auto betas = of.betas_of_replicas();
    for (std::size_t r = 0; r < 5; ++r) BOOST_TEST(betas[r] == of.betas()[of.places()[r]]);
  }
  BOOST_TEST(seen.size() == 5);
  for (const auto& pair : of.pairs()) BOOST_TEST(pair.tried == 100);
}

BOOST_AUTO_TEST_CASE(betas_that_are_no_ladder_are_refused) {
  for (const std::vector<double>& betas :
       {std::vector<double>{}, {1, 1}, {2, 1}, {-1, 1}, {1, std::nan("")}})
    BOOST_CHECK_THROW(tempering(betas, 1), onehop::usage_error);
  tempering two({1, 2}, 1);
  BOOST_CHECK_THROW(two.exchange(std::array{1.0}), onehop::usage_error);
}
