// Ways through networks of switches, meshes and tori of many axes: right lengths, cables that lead
// back, and no cycle of packets that wait for each other.
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <onehop/error.hpp>
#include <set>

#include <onehop/random.hpp>
#include "machines.hpp"
#include "netsim/machine/group_wiring.hpp"
#include "netsim/machine/switch_steering.hpp"
#include "netsim/workload/transfer_run.hpp"
#include "waits.hpp"

using namespace onehop::netsim;

namespace {

constexpr routing all_routings[] = {routing::minimal, routing::valiant, routing::ugal,
                                    routing::adaptive};

// Small machines of every shape, with an odd one among them: spare global ports, extents of 1.
std::vector<topology> shapes_with(routing how) {
  std::vector<topology> shapes = {
      dragonfly_shape(1, 2, 1, 3, how),
      dragonfly_shape(2, 4, 2, 9, how),
      dragonfly_shape(1, 4, 2, 3, how, global_order::absolute),
      dragonfly_shape(2, 3, 1, 1, how),
      dragonfly_plus_shape(2, {2, 2, 2, 5}, how),
      dragonfly_plus_shape(1, {3, 2, 2, 3, global_order::absolute}, how),
      hyperx_shape({4}, {2}, 2, how),
      hyperx_shape({3, 4, 2}, {1, 2, 1}, 1, how),
      graph_shape(how),
      grid_shape(topology_kind::mesh, {4, 3}, how),
      grid_shape(topology_kind::torus, {5, 4}, how),
      grid_shape(topology_kind::torus, {3, 2, 2, 1, 3}, how),
  };
  return shapes;
}

std::size_t switch_hops(const topology& shape, std::uint32_t a, std::uint32_t b) {
  const link_table net(network_of(shape));
  return channels_of(net, a, b, 0).size() - 2;
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_ring_of_channels_waits_for_itself_whatever_the_routing) {
  for (const auto how : all_routings)
    for (const auto& shape : shapes_with(how)) {
      auto machine = network_of(shape);
      machine.fabrics[0].links[0].virtual_channels =
          std::max(2U, channels_needed(shape) + channels_needed(shape) % 2);
      BOOST_CHECK_NO_THROW(machine.check());
      BOOST_TEST(!has_ring(all_waits(machine, 24)), "kind " << static_cast<int>(shape.kind));
    }
}

// The check above must be able to fail: on one channel Valiant's ways through groups close rings.
BOOST_AUTO_TEST_CASE(routings_with_too_few_channels_are_refused) {
  for (const auto& shape : {dragonfly_shape(2, 4, 2, 9, routing::valiant), graph_shape(),
                            grid_shape(topology_kind::torus, {5, 4}, routing::adaptive),
                            grid_shape(topology_kind::mesh, {4, 4}, routing::ugal)}) {
    auto machine = network_of(shape);
    machine.fabrics[0].links[0].virtual_channels = channels_needed(shape) - 1;
    BOOST_CHECK_THROW(machine.check(), onehop::usage_error);
  }
  auto tree_astray = tree({{4, 1}, {4, 2}});
  tree_astray.fabrics[0].shape.how = routing::ugal;
  BOOST_CHECK_THROW(tree_astray.check(), onehop::usage_error);
}

BOOST_AUTO_TEST_CASE(ways_that_packets_would_not_see_are_refused) {
  const auto how = routing::adaptive;
  for (const auto& shape : {dragonfly_shape(300, 1, 300, 2, how), hyperx_shape({3}, {300}, 2, how),
                            dragonfly_plus_shape(1, {300, 2, 2, 3}, how)})
    BOOST_CHECK_EXCEPTION(network_of(shape).check(), onehop::usage_error, [](const auto& error) {
      return std::string(error.what()).find("at most 256 can be simulated") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(cables_of_switches_lead_back) {
  for (const auto& shape : shapes_with(routing::minimal)) {
    if (!shape.has_switches()) continue;
    const link_table net(network_of(shape));
    std::multiset<std::pair<std::uint32_t, std::uint32_t>> there, back;
    for (std::uint32_t k = 0; k < net.links.size(); ++k) {
      there.emplace(net.from(k).router, net.links[k].to);
      back.emplace(net.links[k].to, net.from(k).router);
    }
    BOOST_TEST((there == back));
  }
}

BOOST_AUTO_TEST_CASE(packets_that_wait_or_hold_a_credit_of_any_channel_occupy_a_link) {
  link_table net(network_of(dragonfly_shape(2, 4, 2, 9)));
  const auto channels = net.kinds[net.links[0].kind].channels;
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    net.credits.take(net.credits_of(0, channel).first);
    BOOST_TEST(occupancy(net, 0, 0) == channel + 1);
  }
  net.links[0].queued = 2;
  BOOST_TEST(occupancy(net, 0, 0) == channels + 2);
}

// A packet takes the same way when its hops are found while it is still on its way to their
// routers.
BOOST_AUTO_TEST_CASE(hops_are_the_same_where_they_are_foreseen) {
  for (const auto how : all_routings)
    for (const auto& shape : shapes_with(how)) {
      const auto machine = network_of(shape);
      const link_table net(machine);
      for (std::uint32_t origin = 0; origin < machine.nodes; ++origin)
        for (std::uint32_t target = 0; target < machine.nodes; ++target)
          for (std::uint32_t turn = 0; turn < 5; ++turn)
            BOOST_REQUIRE((channels_of(net, origin, target, turn) ==
                           channels_of(net, origin, target, turn, true)));
    }
}

// Where a link of a dragonfly leads is computed, and the table says the same.
BOOST_AUTO_TEST_CASE(links_of_switches_lead_where_they_are_computed_to) {
  for (const auto& shape : shapes_with(routing::minimal)) {
    if (!shape.has_switches()) continue;
    const link_table net(network_of(shape));
    const auto& layout = net.fabrics[0];
    for (std::uint32_t k = 0; k < net.links.size(); ++k) {
      if (net.links[k].axis == 0) continue;
      const auto end = switch_behind(net, layout, net.from(k).router - layout.nodes, k);
      BOOST_TEST(end.to + layout.nodes == net.links[k].to);
      BOOST_TEST(end.axis == net.links[k].axis);
    }
  }
}

// Every two groups have the same number of cables, and both of their ends say so.
BOOST_AUTO_TEST_CASE(global_cables_join_every_two_groups_alike) {
  for (const auto order : {global_order::palmtree, global_order::absolute})
    for (std::uint32_t groups = 2; groups <= 9; ++groups) {
      const switch_groups of{4, 0, 2, groups, order};
      const group_wiring wiring(of);
      for (std::uint32_t a = 0; a < groups; ++a)
        for (std::uint32_t b = 0; b < groups; ++b)
          for (std::uint32_t copy = 0; a != b && copy < of.copies(); ++copy) {
            const auto port = wiring.port_to(a, b, copy);
            BOOST_TEST(wiring.is_used(port));
            const auto end = wiring.across({a, port});
            BOOST_TEST(end.group == b);
            BOOST_TEST(end.port == wiring.port_to(b, a, copy));
          }
    }
}

// The largest dragonfly of Kim et al. with h = 2: at most one local hop in each group, one global.
BOOST_AUTO_TEST_CASE(minimal_ways_of_a_dragonfly_have_three_hops_at_most) {
  const link_table net(network_of(dragonfly_shape(2, 4, 2, 9)));
  std::size_t most = 0;
  for (std::uint32_t a = 0; a < 72; ++a)
    for (std::uint32_t b = 0; b < 72; ++b) {
      if (a == b) continue;
      const auto passed = channels_of(net, a, b, 0);
      std::size_t globals = 0;
      for (const auto& [index, lane] : passed) globals += net.links[index].axis == 2 ? 1U : 0U;
      BOOST_TEST(globals == (a / 8 == b / 8 ? 0U : 1U));
      most = std::max(most, passed.size() - 2);
    }
  BOOST_TEST(most == 3U);
}

BOOST_AUTO_TEST_CASE(minimal_ways_are_as_long_as_the_network_says) {
  BOOST_TEST(switch_hops(dragonfly_plus_shape(2, {2, 2, 2, 5}), 0, 2) == 2U);
  BOOST_TEST(switch_hops(dragonfly_plus_shape(2, {2, 2, 2, 5}), 0, 19) == 3U);
  BOOST_TEST(switch_hops(hyperx_shape({3, 4, 2}, {1, 2, 1}, 1), 0, 23) == 3U);
  BOOST_TEST(switch_hops(hyperx_shape({3, 4, 2}, {1, 2, 1}, 1), 0, 21) == 2U);
  BOOST_TEST(switch_hops(graph_shape(), 2, 6) == 3U);
  BOOST_TEST(switch_hops(graph_shape(), 5, 6) == 0U);
  const link_table grid(network_of(grid_shape(topology_kind::mesh, {4, 3})));
  BOOST_TEST(channels_of(grid, 0, 11, 0).size() == 5U);
  const link_table many(network_of(grid_shape(topology_kind::torus, {4, 2, 2, 2, 2, 2})));
  BOOST_TEST(channels_of(many, 0, 127, 0).size() == 6U);
}

// Six axes go by computed steps, up to four by steps in the header: both take equally long.
BOOST_AUTO_TEST_CASE(tori_of_few_and_of_many_axes_agree) {
  cable link;
  link.raw_rate = 1e9;
  link.latency = 30'000;
  const auto few = torus({5, 7, 3}, link);
  const auto many = torus({5, 7, 3, 1, 1}, link);
  for (std::uint32_t target = 1; target < 105; ++target)
    BOOST_TEST(time_of(few, 20000, target) == time_of(many, 20000, target));
}

BOOST_AUTO_TEST_CASE(valiant_goes_over_a_third_group) {
  const link_table net(network_of(dragonfly_shape(2, 4, 2, 9, routing::valiant)));
  for (const auto& [origin, target] : {std::pair{0U, 71U}, {24U, 40U}, {40U, 24U}}) {
    std::set<std::uint32_t> seen;
    for (std::uint32_t turn = 0; turn < 200; ++turn) {
      std::vector<std::uint32_t> groups;
      for (const auto& [index, lane] : channels_of(net, origin, target, turn))
        if (net.links[index].axis == 2) groups.push_back((net.links[index].to - 72) / 4);
      BOOST_REQUIRE(groups.size() == 2U);
      seen.insert(groups[0]);
    }
    BOOST_TEST(seen.size() == 7U);
    BOOST_TEST(!seen.contains(origin / 8));
    BOOST_TEST(!seen.contains(target / 8));
  }
}

// With a credit per channel and a long cable, a packet that may use one channel waits for a trip.
BOOST_AUTO_TEST_CASE(adaptive_packets_use_every_channel_of_their_only_way) {
  cable link;
  link.raw_rate = 1e9;
  link.latency = 100'000'000;
  link.credits = 1;
  std::map<routing, picoseconds> took;
  for (const auto how : {routing::minimal, routing::adaptive})
    took[how] = time_of(network_of(grid_shape(topology_kind::torus, {4}, how), link), 64 * 4096);
  BOOST_TEST(took[routing::adaptive] < took[routing::minimal] / 2);
}

BOOST_AUTO_TEST_CASE(cables_between_switches_of_a_graph_are_of_one_class) {
  const auto shape = graph_shape();
  const link_table net(network_of(shape));
  for (std::uint32_t k = 0; k < net.links.size(); ++k) {
    const bool joins_switches =
        net.from(k).router >= shape.capacity() && net.links[k].to >= shape.capacity();
    BOOST_TEST(net.links[k].axis == (joins_switches ? 1 : 0));
  }
}

// All packets of one group to the next go by one cable, unless the queues are looked at.
BOOST_AUTO_TEST_CASE(ugal_goes_round_a_full_cable) {
  cable link;
  link.raw_rate = 1e9;
  std::map<routing, picoseconds> took;
  for (const auto how : {routing::minimal, routing::ugal, routing::valiant}) {
    diary all(network_of(dragonfly_shape(2, 4, 2, 9, how), link));
    for (std::uint32_t k = 0; k < 800; ++k) all.post(k % 8, 8 + k % 8, 4096);
    all.net.run();
    took[how] = all.net.now();
  }
  BOOST_TEST(took[routing::ugal] < took[routing::minimal] / 2);
  BOOST_TEST(took[routing::valiant] < took[routing::minimal] / 2);
}

BOOST_AUTO_TEST_CASE(adaptive_trees_go_up_where_the_queue_is_short) {
  cable link;
  link.raw_rate = 1e9;
  for (const std::uint32_t up : {2U, 4U}) {
    std::map<routing, picoseconds> took;
    for (const auto how : {routing::minimal, routing::adaptive}) {
      auto machine = tree({{4, 1}, {4, up}}, 1, link);
      machine.fabrics[0].shape.how = how;
      diary all(machine);
      // The targets are alike modulo 4: the fixed way up is the same for all of them.
      for (std::uint32_t k = 0; k < 160; ++k) all.post(k % 4, 4 + 4 * (k % 3), 4096);
      all.net.run();
      took[how] = all.net.now();
    }
    BOOST_TEST(took[routing::adaptive] < took[routing::minimal]);
  }
}

// Every network drains with one credit per channel and one place per node, adaptive ones too.
BOOST_AUTO_TEST_CASE(random_traffic_always_drains_whatever_the_routing) {
  cable tight;
  tight.raw_rate = 1e9;
  tight.latency = 10'000;
  tight.credits = 1;
  for (const auto how : all_routings)
    for (const auto& shape : shapes_with(how))
      for (std::uint32_t pattern = 0; pattern < 12; ++pattern) {
        auto machine = network_of(shape, tight);
        machine.fabrics[0].links[0].virtual_channels =
            std::max(2U, channels_needed(shape) + channels_needed(shape) % 2);
        machine.fabrics[0].transmit_packets = machine.fabrics[0].receive_packets = 1;
        machine.fabrics[0].packet_bytes = 512;
        machine.protocols = {direct()};
        transfer_run run(machine, {});
        for (std::uint32_t k = 0; k < 20 * machine.nodes; ++k) {
          const auto words = onehop::philox4x32({k, pattern, 0, 0}, {3, 4});
          run.add({.origin = static_cast<int>(words[0] % machine.nodes),
                   .target = static_cast<int>(words[1] % machine.nodes),
                   .bytes = words[2] % 4096});
        }
        BOOST_CHECK_NO_THROW(run.run());
      }
}

// The distances of a ring of 150 switches are seen from all 64-switch batches, and forgotten goals
// are found again.
BOOST_AUTO_TEST_CASE(graphs_know_their_diameter_and_refuse_parts) {
  switch_graph ring{150, {}, {0}};
  for (std::uint32_t k = 0; k < 150; ++k) ring.edges.emplace_back(k, (k + 1) % 150);
  graph_ways ways(ring);
  BOOST_TEST(ways.diameter() == 75U);
  BOOST_TEST(ways.distances_to(140)[10] == 20U);
  ring.edges.resize(148);
  BOOST_TEST(graph_ways(ring).diameter() == graph_ways::unreached);
}
