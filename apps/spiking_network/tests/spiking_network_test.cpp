#include "slow_network.hpp"

#include <onehop/adversary.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>

using namespace spiking_network;

namespace {

network_settings small(bool plastic) {
  network_settings how;
  how.columns_x = 5, how.columns_y = 4;
  how.neurons = 25, how.synapses = 15, how.delay_ms = 3;
  how.local = 0.5;
  // The bits of sums of these weights depend on their order, and the weights are as large as the
  // values that they are added to, so that no bit is lost.
  how.excitation = 33.1F, how.inhibition = 51.7F;
  how.stimulus_hz = 30;
  how.plastic = plastic;
  how.seed = 3;
  return how;
}

onehop::cartesian grid_for(const onehop::context& job, const network_settings& how) {
  return {job, {static_cast<int>(how.columns_x), static_cast<int>(how.columns_y)}};
}

bool same(std::span<const spike> a, std::span<const spike> b) {
  return std::ranges::equal(a, b, [](const spike& one, const spike& other) {
    return one.step == other.step && one.from == other.from;
  });
}

/// Returns the spikes of all ranks, by step and neuron.
std::vector<spike> all_spikes(const onehop::context& job, const simulation& network) {
  std::vector<spike> all;
  for (const auto& list : onehop::allgatherv<spike>(job, network.spikes()))
    all.insert(all.end(), list.begin(), list.end());
  std::ranges::sort(all, {}, [](const spike& s) { return std::pair(s.step, s.from); });
  return all;
}

struct expected_spikes {
  explicit expected_spikes(const network_settings& settings, std::uint32_t length)
      : how(settings), steps(length), slow(settings), spikes(slow.run(length)) {}
  void compare(const onehop::context& job) const {
    simulation network(grid_for(job, how), how, {.keeps_spikes = true});
    // The pieces have any length, because a piece must not affect the next one.
    for (std::uint32_t done = 0, piece = 1; done < steps; done += piece, piece *= 3) {
      piece = std::min(piece, steps - done);
      network.advance(static_cast<int>(piece));
      const network_counts counts = network.counts();
      expect(counts.sent == counts.received, "spikes were lost");
      expect(counts.delivered == counts.due, "events were lost");
      expect(counts.synapses == std::uint64_t{how.columns()} * how.neurons * how.synapses);
      expect((counts.sent == 0) == (job.size() == 1 || done == 0), "nothing was sent");
    }
    expect(same(all_spikes(job, network), spikes), "other spikes");
    // The last bit of a potential depends on the order in which spikes arrive.
    const sheet columns(grid_for(job, how), wiring(how));
    for (std::uint32_t local = 0; local < columns.own_neurons(); ++local)
      expect(network.potentials()[local] == slow.potential(columns.neuron_at(local)));
  }

  network_settings how;
  std::uint32_t steps;
  slow_network slow;
  std::vector<spike> spikes;
};

/// Returns the message of the error with which settings are refused.
std::string refusal(const std::function<void(network_settings&)>& change) {
  network_settings how;
  change(how);
  try {
    check(how);
  } catch (const onehop::usage_error& refused) {
    return refused.what();
  }
  throw std::logic_error("not refused");
}

}  // namespace

BOOST_AUTO_TEST_CASE(spikes_are_those_of_a_slow_network_on_any_number_of_ranks) {
  for (const bool plastic : {false, true}) {
    const expected_spikes of(small(plastic), plastic ? 1300 : 400);
    BOOST_REQUIRE(of.spikes.size() > 2000);
    for (const int ranks : {1, 2, 3, 4, 10})
      onehop::run_on_threads(ranks, [&](const onehop::context& job) { of.compare(job); });
  }
}

BOOST_AUTO_TEST_CASE(spikes_are_those_of_a_slow_network_under_the_adversary) {
  const expected_spikes of(small(true), 60);
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (const int ranks : {2, 4})
      onehop::run_with_adversary(ranks, seed, [&](const onehop::context& job) { of.compare(job); });
}

BOOST_AUTO_TEST_CASE(synapses_end_where_and_when_the_wiring_says) {
  network_settings how;
  how.columns_x = how.columns_y = 7;
  const wiring synapses(how);
  std::array<double, 4> at_distance{};
  std::vector<double> with_delay(how.delay_ms + 1);
  const std::uint32_t column = 24, neurons = 200;
  for (std::uint32_t place = 0; place < neurons; ++place)
    for (std::uint32_t number = 0; number < how.synapses; ++number) {
      const neuron from = column * how.neurons + place;
      const synapse made = synapses.at(from, number);
      const int there = static_cast<int>(made.target / how.neurons);
      const int dx = std::abs(there % 7 - 3), dy = std::abs(there / 7 - 3);
      BOOST_REQUIRE((dx == 0 || dy == 0));
      BOOST_REQUIRE(made.target != from);
      ++at_distance.at(static_cast<std::size_t>(dx + dy));
      ++with_delay.at(made.delay);
    }
  const double count = neurons * how.synapses;
  const std::array shares{0.76, 0.12, 0.08, 0.04};
  for (std::size_t k = 0; k < 4; ++k)
    BOOST_TEST(std::abs(at_distance[k] - count * shares[k]) <
               4 * std::sqrt(count * shares[k] * (1 - shares[k])));
  BOOST_TEST(with_delay[0] == 0);
  for (std::uint32_t delay = 1; delay <= how.delay_ms; ++delay)
    BOOST_TEST(std::abs(with_delay[delay] - count / 20) < 4 * std::sqrt(count / 20));
  for (std::uint32_t number = 0; number < how.synapses; ++number) {
    const synapse made = synapses.at(column * how.neurons + 900, number);
    BOOST_TEST(
        (made.delay == 1 && made.target / how.neurons == column && how.is_excitatory(made.target)));
  }
}

/// On a periodic grid that is smaller than the reach, columns occur several times.
BOOST_AUTO_TEST_CASE(columns_around_are_each_named_once) {
  network_settings how;
  how.columns_x = 2, how.columns_y = 1;
  BOOST_TEST((wiring(how).columns_around(1) == std::vector<std::uint32_t>{0, 1}));
  how.columns_x = 9, how.columns_y = 9;
  BOOST_TEST(wiring(how).columns_around(40).size() == 13U);
}

BOOST_AUTO_TEST_CASE(weights_change_by_the_time_between_arrival_and_spike) {
  network_settings how;
  how.neurons = 5, how.synapses = 3, how.delay_ms = 4, how.plastic = true;
  onehop::run_on_threads(1, [&](const onehop::context& job) {
    const sheet columns(grid_for(job, how), wiring(how));
    synapse_table synapses(columns);
    const synapse_run all = synapses.all(0);
    const auto change_of = [&](int arrival, int fired, float before) {
      plasticity rule(columns, synapses);
      std::ranges::fill(synapses.weights(), before);
      for (int step = 0; step < 40; ++step) {
        if (step == arrival) rule.arrive(all, step);
        if (step == fired) rule.fire(synapses.targets()[all.begin], step);
      }
      rule.renew(synapses.weights());
      return double{synapses.weights()[all.begin]} - double{before};
    };
    const auto near = [](double found, double expected) {
      expect(std::abs(found - expected) < 1e-6, std::to_string(found));
    };
    near(change_of(20, 20, 5), 0.01 + 0.1);
    near(change_of(20, 23, 5), 0.01 + 0.1 * std::pow(0.95, 3));
    near(change_of(24, 23, 5), 0.01 - 0.12);
    near(change_of(30, 23, 5), 0.01 - 0.12 * std::pow(0.95, 6));
    near(change_of(-1, 23, 5), 0.01);
    near(change_of(24, 23, 0.1F), -0.1F);
    near(change_of(20, 20, 9.95F), double{10.0F} - double{9.95F});
  });
}

BOOST_AUTO_TEST_CASE(intervals_vary_as_their_numbers_do) {
  network_settings how;
  how.neurons = 10;
  onehop::run_on_threads(1, [&](const onehop::context& job) {
    const sheet columns(grid_for(job, how), wiring(how));
    spike_statistics statistics(columns, 10);
    for (const int step : {3, 10, 20, 40, 50}) statistics.add(1, 1, step);  // 10, 20, 10
    for (const int step : {10, 25, 40, 55, 70}) statistics.add(2, 2, step);
    for (const int step : {10, 12, 90}) statistics.add(3, 3, step);  // too few
    const auto kinds = statistics.kinds(job);
    expect(kinds[0].spikes == 13 && kinds[0].counted == 12 && kinds[1].spikes == 0);
    expect(!kinds[1].interval_variation.has_value());
    const double first = std::sqrt(200.0 / 6) / (40.0 / 3);
    expect(std::abs(*kinds[0].interval_variation - first / 2) < 1e-15);
  });
}

BOOST_AUTO_TEST_CASE(settings_without_a_network_are_refused) {
  const auto says = [](const std::string& message, const std::string& part) {
    BOOST_TEST(message.find(part) != std::string::npos, message);
  };
  says(refusal([](auto& how) { how.columns_x = 0; }), "0x1 columns");
  says(refusal([](auto& how) { how.neurons = 4; }), "4 neurons in a column");
  says(refusal([](auto& how) { how.synapses = 0; }), "0 synapses");
  says(refusal([](auto& how) { how.columns_x = 1U << 23U; }), "fewer than 2^32");
  says(refusal([](auto& how) { how.delay_ms = 256; }), "1 to 255");
  says(refusal([](auto& how) { how.local = 1.5; }), "from 0 to 1");
  says(refusal([](auto& how) { how.stimulus_hz = -1; }), "0 to 1000 times");
}
