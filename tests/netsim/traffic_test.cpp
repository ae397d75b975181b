// Random traffic must wait as queueing theory says, and networks must saturate where their busiest
// cable is full.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <onehop/error.hpp>
#include <set>

#include "machines.hpp"
#include "netsim/workload/traffic_run.hpp"

using namespace onehop::netsim;

namespace {

constexpr picoseconds service = 4'096'000;  // a packet of 4096 bytes at 1 GB/s

cable gigabyte(double rate = 1e9) {
  cable link;
  link.raw_rate = rate;
  link.latency = 50'000;
  link.credits = 16;
  return link;
}

traffic messages_for(double load, std::uint32_t each, traffic_pattern pattern) {
  traffic what;
  what.pattern = pattern;
  what.load = load;
  what.window = static_cast<picoseconds>(each / load) * service;
  what.warm_up = what.window / 2;
  return what;
}

// Returns the mean time that messages wait, in services of a packet.
double mean_wait(const machine_description& machine, const traffic& what) {
  const auto idle = time_of(machine, 4096);
  const auto found = traffic_run(machine, what).run();
  BOOST_TEST(!found.is_saturated);
  BOOST_TEST(found.latencies.size() == found.made);
  const double sum = std::accumulate(found.latencies.begin(), found.latencies.end(), 0.0);
  return (sum / static_cast<double>(found.made) - static_cast<double>(idle)) / service;
}

double md1(double load) { return load / (2 * (1 - load)); }

machine_description wide_network(const topology& shape) {
  auto machine = network_of(shape, gigabyte());
  machine.fabrics[0].links[0].virtual_channels = 4;
  return machine;
}

double accepted(const machine_description& machine, traffic_pattern pattern, double load = 1,
                std::uint32_t each = 600) {
  return traffic_run(machine, messages_for(load, each, pattern)).run().accepted;
}

}  // namespace

// Every node has its own way through one switch: its cable is a queue with Poisson arrivals and
// equal services, M/D/1, whose mean wait is load / (2 (1 - load)) services (Pollaczek, Khinchine).
BOOST_AUTO_TEST_CASE(one_cable_makes_messages_wait_as_md1) {
  const auto machine = tree({{256, 1}}, 1, gigabyte());
  for (const double load : {0.4, 0.6})
    BOOST_TEST(mean_wait(machine, messages_for(load, 1600, traffic_pattern::shift)) == md1(load),
               boost::test_tools::tolerance(0.01));
}

// Equal services in a row make messages wait in sum as the slowest alone would, wherever it stands
// (Friedman, Oper. Res. 13 (1965) 121).
BOOST_AUTO_TEST_CASE(queues_in_a_row_wait_as_the_slowest_alone) {
  auto machine = tree({{1, 1}, {128, 1}}, 1, gigabyte());
  for (const double second : {0.5, 2.0}) {
    machine.fabrics[0].links = {gigabyte(), gigabyte(second * 1e9)};
    const double slowest = second < 1 ? 1 / second : 1.0, load = 0.6 / slowest;
    const auto what = messages_for(load, 1600, traffic_pattern::shift);
    BOOST_TEST(mean_wait(machine, what) == slowest * md1(0.6), boost::test_tools::tolerance(0.015));
  }
}

// All nodes of a group of p * a share one cable to the next (Kim et al., ISCA 2008, section 4).
BOOST_AUTO_TEST_CASE(the_worst_pattern_of_a_dragonfly_fills_one_cable) {
  const auto worst = traffic_pattern::adversarial;
  const auto minimal = accepted(wide_network(dragonfly_shape(2, 4, 2, 9)), worst);
  BOOST_TEST(minimal == 1.0 / 8, boost::test_tools::tolerance(0.01));
  const auto valiant = accepted(wide_network(dragonfly_shape(2, 4, 2, 9, routing::valiant)), worst);
  // Both cables of a way are shared by all groups but one: (g - 2) / (g - 1) / 2.
  BOOST_TEST(valiant == 7.0 / 16, boost::test_tools::tolerance(0.05));
  const auto ugal = accepted(wide_network(dragonfly_shape(2, 4, 2, 9, routing::ugal)), worst);
  BOOST_TEST(ugal > 3 * minimal);
}

// Valiant's ways of a group use all global cables but the one to the next group, each twice, which
// leaves (g - 2) / (g - 1) / 2 = 7/16 of the load; the minimal ways of UGAL add the 1/8 of the
// other.
BOOST_AUTO_TEST_CASE(ugal_carries_what_the_better_of_both_ways_would) {
  const auto ugal = wide_network(dragonfly_shape(2, 4, 2, 9, routing::ugal));
  BOOST_TEST(accepted(ugal, traffic_pattern::adversarial) == 7.0 / 16 + 1.0 / 8,
             boost::test_tools::tolerance(0.05));
  const auto minimal = wide_network(dragonfly_shape(2, 4, 2, 9));
  const auto uniform = traffic_pattern::uniform;
  BOOST_TEST(accepted(ugal, uniform) == accepted(minimal, uniform),
             boost::test_tools::tolerance(0.03));
}

// Eight nodes of a ring send 16/7 hops far in the mean over two links each: 7/8 fills these.
BOOST_AUTO_TEST_CASE(a_ring_saturates_where_its_links_are_full) {
  const auto ring = wide_network(grid_shape(topology_kind::torus, {8}));
  BOOST_TEST(accepted(ring, traffic_pattern::uniform, 1.5, 1200) == 7.0 / 8,
             boost::test_tools::tolerance(0.05));
  BOOST_TEST(accepted(ring, traffic_pattern::uniform, 0.5, 1200) == 0.5,
             boost::test_tools::tolerance(0.05));
  // Tornado: three links of the eight in one direction by every message.
  BOOST_TEST(accepted(ring, traffic_pattern::adversarial, 1, 1200) == 1.0 / 3,
             boost::test_tools::tolerance(0.02));
}

// On the way up a packet takes the switch that its target's number names, so that no two messages
// of a shift share a cable of a full tree (Zahavi, J. Parallel Distrib. Comput. 72 (2012) 1423),
// and every node is served at the full rate of its cable.
BOOST_AUTO_TEST_CASE(a_full_tree_carries_every_shift_at_its_full_rate) {
  const auto full = tree({{4, 1}, {4, 4}, {2, 4}}, 1, gigabyte());
  for (const std::uint32_t distance : {1U, 4U, 5U, 13U, 16U, 31U}) {
    auto what = messages_for(2, 600, traffic_pattern::shift);
    what.distance = distance;
    BOOST_TEST(traffic_run(full, what).run().accepted == 1.0, boost::test_tools::tolerance(0.01));
  }
}

// A leaf of four nodes with one cable up lets a quarter of the load across.
BOOST_AUTO_TEST_CASE(a_tapered_tree_lets_its_taper_through) {
  const auto tapered = tree({{4, 1}, {4, 1}}, 1, gigabyte());
  BOOST_TEST(accepted(tapered, traffic_pattern::adversarial) == 0.25,
             boost::test_tools::tolerance(0.02));
}

BOOST_AUTO_TEST_CASE(patterns_go_where_they_say) {
  const auto machine = network_of(dragonfly_shape(2, 4, 2, 9));
  using pattern = traffic_pattern;
  const traffic_targets permuted(machine, pattern::permutation, 1, 7);
  std::set<std::uint32_t> seen;
  for (std::uint32_t node = 0; node < 72; ++node) {
    BOOST_TEST(permuted(node, 0) != node);
    seen.insert(permuted(node, 0));
    BOOST_TEST(traffic_targets(machine, pattern::bit_complement, 1, 1)(node, 0) == 71 - node);
    BOOST_TEST(traffic_targets(machine, pattern::shift, 75, 1)(node, 0) == (node + 3) % 72);
    const auto next = traffic_targets(machine, pattern::adversarial, 1, 1)(node, 12345);
    BOOST_TEST(next / 8 == (node / 8 + 1) % 9);
    BOOST_TEST(traffic_targets(machine, pattern::uniform, 1, 1)(node, node) != node);
  }
  BOOST_TEST(seen.size() == 72U);
  BOOST_CHECK_THROW(traffic_targets(machine, pattern::shift, 72, 1), onehop::usage_error);
  BOOST_CHECK_THROW(traffic_targets(network_of(graph_shape()), pattern::adversarial, 1, 1),
                    onehop::usage_error);
}

BOOST_AUTO_TEST_CASE(a_run_is_repeated_by_its_seed_and_says_where_links_were_busy) {
  const auto machine = wide_network(dragonfly_shape(2, 4, 2, 9));
  auto what = messages_for(0.4, 200, traffic_pattern::uniform);
  what.slices = 4;
  const auto first = traffic_run(machine, what).run(), again = traffic_run(machine, what).run();
  BOOST_TEST(first.latencies == again.latencies);
  BOOST_REQUIRE(first.use.size() == 4U);
  for (const auto& slice : first.use) {
    BOOST_REQUIRE(slice.size() == 3U);
    // Every message takes its node's own cable.
    BOOST_TEST(slice[0].mean == 0.4, boost::test_tools::tolerance(0.1));
    for (const auto& each : slice) BOOST_TEST(each.most >= each.mean);
  }
  what.seed = 2;
  BOOST_TEST(traffic_run(machine, what).run().latencies != first.latencies);
  what.load = 0;
  BOOST_CHECK_THROW(traffic_run(machine, what), onehop::usage_error);
}

BOOST_AUTO_TEST_CASE(nodes_stop_when_the_messages_of_the_window_are_here) {
  const auto what = messages_for(0.2, 100, traffic_pattern::uniform);
  traffic_run run(tree({{16, 1}}, 1, gigabyte()), what);
  const auto found = run.run();
  BOOST_TEST(found.latencies.size() == found.made);
  // A node's next message, which it sends or not, comes some mean times later.
  BOOST_TEST(run.net().now() < what.warm_up + what.window + what.window / 2);
}

BOOST_AUTO_TEST_CASE(no_link_is_busy_for_more_than_the_whole_of_a_slice) {
  const auto machine = wide_network(dragonfly_shape(2, 4, 2, 9));
  for (const auto pattern : {traffic_pattern::uniform, traffic_pattern::adversarial}) {
    auto what = messages_for(1, 100, pattern);
    what.slices = 20;
    double most = 0;
    for (const auto& slice : traffic_run(machine, what).run().use)
      for (const auto& each : slice) {
        BOOST_TEST(each.most <= 1);
        most = std::max(most, each.most);
      }
    // The network is full.
    BOOST_TEST(most > 0.99);
  }
}

BOOST_AUTO_TEST_CASE(the_worst_traffic_of_a_hyperx_goes_to_the_next_switch_of_its_row) {
  const auto machine = network_of(hyperx_shape({4, 3}, {1, 1}, 2, routing::minimal));
  const traffic_targets worst(machine, traffic_pattern::adversarial, 0, 1);
  for (std::uint32_t origin = 0; origin < 24; ++origin) {
    const auto host = origin % 2, place = origin / 2 % 4, row = origin / 8;
    BOOST_TEST(worst(origin, 7) == (row * 4 + (place + 1) % 4) * 2 + host);
  }
}

BOOST_AUTO_TEST_CASE(the_worst_traffic_of_a_ring_goes_nearly_half_way_round_it_one_way) {
  for (const std::uint32_t extent : {7U, 8U}) {
    const auto machine = network_of(grid_shape(topology_kind::torus, {extent, 3}));
    const traffic_targets worst(machine, traffic_pattern::adversarial, 0, 1);
    for (std::uint32_t origin = 0; origin < machine.nodes; ++origin) {
      const auto place = origin % extent;
      BOOST_TEST(worst(origin, 7) == origin - place + (place + 3) % extent);
    }
  }
}

BOOST_AUTO_TEST_CASE(where_no_pattern_is_worst_nodes_send_to_the_next) {
  topology pairs;
  pairs.kind = topology_kind::all_to_all;
  pairs.nodes = 6;
  const traffic_targets worst(network_of(pairs), traffic_pattern::adversarial, 0, 1);
  for (std::uint32_t origin = 0; origin < 6; ++origin)
    BOOST_TEST(worst(origin, 7) == (origin + 1) % 6);
}
