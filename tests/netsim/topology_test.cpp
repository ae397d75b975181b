// Ways through topologies must have the right length and no deadlock; other topologies are refused.
#include <boost/test/unit_test.hpp>
#include <onehop/error.hpp>
#include <set>

#include <onehop/random.hpp>
#include "machines.hpp"
#include "netsim/machine/route.hpp"
#include "netsim/workload/transfer_run.hpp"
#include "waits.hpp"

using namespace onehop::netsim;

namespace {

std::uint32_t distance(std::uint32_t a, std::uint32_t b, std::uint32_t extent) {
  const auto ahead = (b + extent - a) % extent;
  return std::min(ahead, extent - ahead);
}

machine_description coupled(std::uint32_t n) {
  auto machine = torus({n, 2});
  machine.fabrics[0].shape.kind = topology_kind::coupled_rings;
  return machine;
}

}  // namespace

// There is no deadlock if no ring of channels can wait for itself (Dally and Seitz). This tries
// every shape that small machines can have.
BOOST_AUTO_TEST_CASE(no_ring_of_channels_waits_for_itself) {
  std::vector<machine_description> machines;
  for (std::uint32_t n = 1; n <= 9; ++n) machines.push_back(torus({n}));
  for (std::uint32_t x = 1; x <= 5; ++x)
    for (std::uint32_t y = 1; y <= 5; ++y) machines.push_back(torus({x, y}));
  for (std::uint32_t x = 1; x <= 4; ++x)
    for (std::uint32_t y = 1; y <= 4; ++y) machines.push_back(torus({x, y, 4}));
  machines.push_back(torus({4, 3, 2, 3}));
  for (std::uint32_t n = 2; n <= 8; ++n) machines.push_back(coupled(n));
  machines.push_back(tree({{4, 1}, {3, 2}, {2, 2}}));
  machines.push_back(tree({{3, 2}, {4, 3}}, 2));
  cable wide;
  wide.virtual_channels = 6;
  machines.push_back(torus({6, 5}, wide));
  for (const auto& machine : machines) BOOST_TEST(!has_ring(all_waits(machine)));
}

BOOST_AUTO_TEST_CASE(the_long_way_round_dead_links_cannot_deadlock_either) {
  for (std::uint32_t node = 0; node < 12; ++node)
    for (std::uint32_t port = 0; port < 4; ++port) {
      auto machine = torus({4, 3});
      machine.dead_links = {{0, node, port}};
      BOOST_TEST(!has_ring(all_waits(machine)));
    }
}

// The check above must be able to fail: with one channel a ring of four waits for itself.
BOOST_AUTO_TEST_CASE(a_ring_with_one_channel_would_deadlock_and_is_refused) {
  cable narrow;
  narrow.virtual_channels = 1;
  BOOST_TEST(has_ring(all_waits(torus({5}, narrow))));
  BOOST_CHECK_THROW(torus({5}, narrow).check(), onehop::usage_error);
  BOOST_CHECK_NO_THROW(torus({2, 2}, narrow).check());
}

BOOST_AUTO_TEST_CASE(ways_on_tori_are_shortest) {
  const auto machine = torus({5, 4, 3});
  const link_table net(machine);
  for (std::uint32_t a = 0; a < 60; ++a)
    for (std::uint32_t b = 0; b < 60; ++b)
      BOOST_TEST(channels_of(net, a, b, 0).size() == distance(a % 5, b % 5, 5) +
                                                         distance(a / 5 % 4, b / 5 % 4, 4) +
                                                         distance(a / 20, b / 20, 3));
}

BOOST_AUTO_TEST_CASE(equal_ways_are_taken_in_turn) {
  const link_table net(torus({2}));
  BOOST_TEST(channels_of(net, 0, 1, 0)[0].first != channels_of(net, 0, 1, 1)[0].first);
}

BOOST_AUTO_TEST_CASE(coupled_rings_have_one_cable_between_partners) {
  const auto machine = coupled(8);
  const link_table net(machine);
  for (std::uint32_t a = 0; a < 16; ++a)
    for (std::uint32_t b = 0; b < 16; ++b)
      BOOST_TEST(channels_of(net, a, b, a + b).size() ==
                 distance(a % 8, b % 8, 8) + (a / 8 == b / 8 ? 0U : 1U));
  auto cut = machine;
  cut.dead_links = {{0, 3, 2}};
  BOOST_CHECK_THROW(time_of(cut, {.origin = 3, .target = 11, .bytes = 8}), onehop::usage_error);
}

BOOST_AUTO_TEST_CASE(coupled_rings_are_two_and_of_one_length) {
  BOOST_CHECK_NO_THROW(coupled(4).check());
  for (const std::vector<std::uint32_t>& extents :
       {std::vector<std::uint32_t>{4}, {4, 3}, {4, 2, 1}}) {
    auto machine = torus(extents);
    machine.fabrics[0].shape.kind = topology_kind::coupled_rings;
    BOOST_CHECK_THROW(machine.check(), onehop::usage_error);
  }
}

BOOST_AUTO_TEST_CASE(trees_go_up_to_the_least_common_switch_and_use_all_ways) {
  const auto machine = tree({{4, 1}, {4, 2}, {2, 4}}, 2);
  const link_table net(machine);
  std::set<std::uint32_t> used;
  for (std::uint32_t a = 0; a < 32; ++a)
    for (std::uint32_t b = 0; b < 32; ++b)
      for (std::uint32_t turn = 0; turn < 2; ++turn) {
        const auto passed = channels_of(net, a, b, turn);
        const auto levels = a == b ? 0U : a / 4 == b / 4 ? 1U : a / 16 == b / 16 ? 2U : 3U;
        BOOST_TEST(passed.size() == 2 * levels);
        for (const auto& one : passed) used.insert(one.first);
      }
  BOOST_TEST(used.size() == net.links.size());
}

BOOST_AUTO_TEST_CASE(cables_lead_back_by_their_partner) {
  for (const auto& machine : {torus({2, 3, 1, 4}), coupled(4), tree({{3, 2}, {2, 3}}, 2)}) {
    const link_table net(machine);
    for (std::uint32_t k = 0; k < net.links.size(); ++k) {
      BOOST_TEST(net.partner(net.partner(k)) == k);
      BOOST_TEST(net.from(net.partner(k)).router == net.links[k].to);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_dead_link_is_gone_round_or_refused) {
  auto machine = torus({6, 3});
  machine.dead_links = {{0, 1, 0}};
  const link_table net(machine);
  for (std::uint32_t a = 0; a < 18; ++a)
    for (std::uint32_t b = 0; b < 18; ++b)
      for (const auto& one : channels_of(net, a, b, 0)) BOOST_TEST(!net.links[one.first].is_dead);
  machine.dead_links.push_back({0, 4, 0});
  const link_table twice(machine);
  BOOST_CHECK_THROW(plan_route(twice, 0, 1, 2, 0), onehop::usage_error);
  auto rails = tree({{4, 1}, {2, 2}}, 2);
  rails.dead_links = {{0, 0, 0}};
  const link_table other_rail(rails);
  for (std::uint32_t b = 1; b < 8; ++b)
    for (const auto& one : channels_of(other_rail, 0, b, 0))
      BOOST_TEST(!other_rail.links[one.first].is_dead);
  rails.dead_links.push_back({0, 0, 1});
  const link_table none_left(rails);
  BOOST_CHECK_THROW(plan_route(none_left, 0, 5, 0, 0), onehop::usage_error);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_simulated_is_refused) {
  BOOST_CHECK_THROW(torus(std::vector<std::uint32_t>(9, 2)).check(), onehop::usage_error);
  BOOST_CHECK_THROW(torus({}).check(), onehop::usage_error);
  auto wrong = torus({4});
  wrong.nodes = 5;
  BOOST_CHECK_THROW(wrong.check(), onehop::usage_error);
  auto few = tree({{4, 1}});
  few.nodes = 5;
  BOOST_CHECK_THROW(few.check(), onehop::usage_error);
  auto order = torus({4});
  at_origin(order, dma_engine{});
  at_origin(order, software_step{});
  BOOST_CHECK_THROW(order.check(), onehop::usage_error);
  auto dead = torus({4});
  dead.dead_links = {{0, 0, 7}};
  BOOST_CHECK_THROW(link_table{dead}, onehop::usage_error);
  BOOST_CHECK_THROW(time_of(torus({4}), 8, 4), onehop::usage_error);
}

// Ten thousand patterns run on small tori with one credit per channel and one place per node: all
// must drain, and every byte and credit come back (run() checks).
BOOST_AUTO_TEST_CASE(random_traffic_always_drains) {
  const std::vector<std::vector<std::uint32_t>> shapes = {
      {4}, {5, 3}, {3, 3, 3}, {4, 4}, {2, 3, 2, 2}};
  cable tight;
  tight.raw_rate = 1e9;
  tight.latency = 10'000;
  tight.credits = 1;
  std::uint64_t hops = 0;
  for (std::uint32_t pattern = 0; pattern < 10000; ++pattern) {
    auto machine = torus(shapes[pattern % shapes.size()], tight);
    machine.fabrics[0].transmit_packets = machine.fabrics[0].receive_packets = 1;
    machine.fabrics[0].packet_bytes = 512;
    machine.protocols = {direct()};
    transfer_run run(machine, {});
    for (std::uint32_t k = 0; k < 3 * machine.nodes; ++k) {
      const auto words = onehop::philox4x32({k, pattern, 0, 0}, {3, 4});
      run.add({.origin = static_cast<int>(words[0] % machine.nodes),
               .target = static_cast<int>(words[1] % machine.nodes),
               .bytes = words[2] % 4096});
    }
    run.run();
    hops += run.net().account().packet_hops;
  }
  BOOST_TEST(hops > 1'000'000U);
}
