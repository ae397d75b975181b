#include <spiking_network/neuron_kernels.hpp>

#include <onehop/random.hpp>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

using namespace spiking_network;

namespace {

struct constants {
  float pace, after;
};
constexpr constants regular{0.02F, 8}, fast{0.1F, 2};

/// A population is groups of equal neurons.
struct population {
  population(std::size_t groups, const constants& of)
      : potential(groups * neurons_of_group, -65),
        recovery(potential.size(), -13),
        current(potential.size()),
        pace(potential.size(), of.pace),
        after(potential.size(), of.after),
        fired(groups) {}

  neuron_arrays arrays() {
    return {potential.data(), recovery.data(), current.data(),
            pace.data(),      after.data(),    fired.size()};
  }
  void step(const neuron_kernels& with) { with.step(arrays(), fired.data()); }

  std::vector<float> potential, recovery, current, pace, after;
  std::vector<std::uint64_t> fired;
};

/// Returns the steps in which a neuron with a constant current fires.
std::vector<int> spikes_of(const constants& of, float current, int steps) {
  population one(1, of);
  std::vector<int> found;
  for (int step = 0; step < steps; ++step) {
    one.current[3] = current;
    one.step(usable_kernels().front());
    BOOST_TEST((one.fired[0] & ~std::uint64_t{8}) == 0U);
    if (one.fired[0] != 0) found.push_back(step);
  }
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(all_instruction_sets_give_the_same_bits) {
  std::vector<population> all(usable_kernels().size(), population(5, regular));
  for (std::uint32_t step = 0; step < 200; ++step)
    for (std::size_t k = 0; k < all.size(); ++k) {
      for (std::uint32_t n = 0; n < all[k].current.size(); ++n)
        all[k].current[n] = static_cast<float>(
            20 * onehop::site_random(1, onehop::user_random(9), step, n).uniform_pair()[0]);
      all[k].step(usable_kernels()[k]);
      BOOST_TEST((all[k].fired == all[0].fired && all[k].potential == all[0].potential &&
                  all[k].recovery == all[0].recovery));
    }
  BOOST_TEST(std::ranges::any_of(all[0].recovery, [](float u) { return u > -5; }));
}

/// Without a spike, a step and the differential equations have the same fixed point:
/// 0.04 v^2 + 4.8 v + 140 + I = 0.
BOOST_AUTO_TEST_CASE(a_neuron_rests_at_the_fixed_point) {
  for (const float current : {0.0F, 1.0F, 3.0F}) {
    population one(1, regular);
    for (int step = 0; step < 3000; ++step) {
      std::ranges::fill(one.current, current);
      one.step(usable_kernels().front());
      BOOST_TEST(one.fired[0] == 0U);
    }
    const double expected = (-4.8 - std::sqrt(4.8 * 4.8 - 0.16 * (140 + double{current}))) / 0.08;
    BOOST_TEST(one.potential[0] == expected, boost::test_tools::tolerance(1e-5));
    BOOST_TEST(one.recovery[0] == 0.2 * expected, boost::test_tools::tolerance(1e-5));
  }
}

/// The fixed point vanishes at the latest at I = 4, where the two roots of its equation meet.
BOOST_AUTO_TEST_CASE(a_neuron_without_a_fixed_point_fires_for_ever) {
  for (const constants& of : {regular, fast}) {
    BOOST_TEST(spikes_of(of, 3, 3000).empty());
    const auto spikes = spikes_of(of, 4.5, 3000);
    BOOST_REQUIRE(spikes.size() > 3);
    BOOST_TEST(spikes.back() > 2500);
  }
}

/// The published patterns are these: regular spiking neurons slow down, fast spiking ones do not.
BOOST_AUTO_TEST_CASE(regular_neurons_adapt_and_fast_ones_do_not) {
  const auto interval = [](const std::vector<int>& spikes, std::size_t k) {
    return spikes.at(k + 1) - spikes.at(k);
  };
  const auto slow = spikes_of(regular, 10, 1000), quick = spikes_of(fast, 10, 1000);
  BOOST_TEST(interval(slow, slow.size() - 2) > interval(slow, 0) + 10);
  BOOST_TEST(std::abs(interval(quick, quick.size() - 2) - interval(quick, 3)) <= 2);
  BOOST_TEST(quick.size() > 2 * slow.size());
}

BOOST_AUTO_TEST_CASE(a_spike_sets_potential_and_recovery_and_uses_up_the_current) {
  population one(1, regular);
  one.potential[5] = 20, one.recovery[5] = 1, one.current[5] = 7;
  one.step(usable_kernels().front());
  BOOST_TEST(one.fired[0] == std::uint64_t{1} << 5U);
  BOOST_TEST(one.potential[5] == -65.0F);
  // With v at its peak of 30 mV: u + 0.02 (0.2 * 30 - u) + 8.
  BOOST_TEST(one.recovery[5] == 1 + 0.02F * (6 - 1) + 8, boost::test_tools::tolerance(1e-6F));
  BOOST_TEST(one.current[5] == 0.0F);
}
