// Routes take the first protocol that fits, and copies by the paths that a collective names.
#include <boost/test/unit_test.hpp>

#include <onehop/error.hpp>

#include "machines.hpp"
#include "netsim/workload/routes.hpp"

using namespace onehop::netsim;

namespace {

constexpr rank_pair anyone{0, 1};

protocol of(memory kind, const char* variant, std::int32_t path) {
  protocol how;
  how.variant = variant;
  how.from = how.to = kind;
  how.path = path;
  return how;
}

// The machine has a path for each number below 5.
machine_description with_protocols(std::vector<protocol> protocols) {
  auto machine = torus({4});
  while (machine.paths.size() < 5)
    machine.paths.push_back({.name = "other", .origin = {}, .target = {}});
  machine.protocols = std::move(protocols);
  return machine;
}

}  // namespace

BOOST_AUTO_TEST_CASE(copies_go_by_the_paths_of_the_algorithm_or_else_of_the_software) {
  auto machine = with_protocols({of(memory::device, "direct", 1), of(memory::host, "hosts", 0)});
  collective_software software;
  software.variant = "direct";
  software.staging_variant = "hosts";
  software.copy_out = 2;
  software.copy_in = 3;
  collective_algorithm algorithm;
  algorithm.variant = "direct";
  algorithm.operation = "allreduce";
  algorithm.schedule = "recursive-doubling";
  algorithm.staging = "parts";
  for (const bool is_staged : {false, true})
    for (const auto& [out, in] : {std::pair{-1, -1}, {0, 0}, {4, 1}}) {
      software.is_staged = is_staged;
      algorithm.copy_out = out;
      algorithm.copy_in = in;
      machine.collectives = {software};
      machine.algorithms = {algorithm};
      const routes ways(machine, memory::device, memory::device, "direct");
      const auto plan = ways.plan_of(collective::allreduce, 4, 0, 1000);
      BOOST_TEST(plan.by_hosts);
      BOOST_TEST(plan.copy_out == (is_staged || out < 0 ? 2 : out));
      BOOST_TEST(plan.copy_in == (is_staged || in < 0 ? 3 : in));
    }
}

BOOST_AUTO_TEST_CASE(a_word_goes_between_hosts_by_the_first_protocol_for_all_ranks_that_takes_it) {
  auto large = of(memory::host, "direct", 3), near = of(memory::host, "direct", 4);
  large.least_bytes = 100;
  near.within = 2;
  const auto machine =
      with_protocols({of(memory::device, "direct", 1), of(memory::host, "other", 2), large, near,
                      of(memory::host, "direct", 0)});
  const routes ways(machine, memory::device, memory::device, "direct");
  BOOST_TEST(ways.collective_way(false, 0, anyone).path == 0);
  BOOST_TEST(ways.collective_way(false, 8, anyone).path == 1);
}

BOOST_AUTO_TEST_CASE(blocks_of_ranks_have_protocols_of_their_own) {
  auto near = of(memory::host, "direct", 2);
  near.within = 2;
  const auto machine = with_protocols({near, of(memory::host, "direct", 0)});
  const routes ways(machine, memory::host, memory::host, "direct");
  BOOST_TEST(ways.put_of(8, 1, {0, 1}).path == 2);
  BOOST_TEST(ways.put_of(8, 1, {1, 2}).path == 0);
  BOOST_TEST(ways.put_of(8, 1, {3, 2}).path == 2);
}

BOOST_AUTO_TEST_CASE(ranks_of_one_node_have_protocols_of_their_own_and_only_they_do) {
  auto inside = of(memory::host, "direct", 2);
  inside.of_node = true;
  const auto between = of(memory::host, "direct", 0);
  for (const bool inside_first : {false, true}) {
    auto machine =
        with_protocols(inside_first ? std::vector{inside, between} : std::vector{between, inside});
    machine.places = {3, 1, 3, 1, 0};
    const routes ways(machine, memory::host, memory::host, "direct");
    BOOST_TEST(ways.ranks_beside(2) == 2U);
    BOOST_TEST(ways.ranks_beside(4) == 1U);
    for (int pair = 0; pair < 25; ++pair) {
      const int one = pair / 5, other = pair % 5;
      const bool inside_node = one != other && ways.node_of(one) == ways.node_of(other);
      const std::int32_t path = inside_node ? 2 : 0;
      BOOST_TEST(ways.put_of(8, 1, {one, other}).path == path);
      BOOST_TEST(ways.collective_way(false, 0, {one, other}).path == path);
      // They are told apart where the node is the same.
      const message sent = ways.between(one, other, 0);
      BOOST_TEST((sent.origin == sent.target && sent.origin_slot == sent.target_slot) ==
                 (one == other));
    }
  }
}

BOOST_AUTO_TEST_CASE(several_ranks_on_a_node_need_a_protocol_that_says_what_lies_between_them) {
  auto machine = with_protocols({of(memory::host, "direct", 0)});
  machine.places = {0, 1, 2};
  BOOST_CHECK_NO_THROW(routes(machine, memory::host, memory::host, "direct"));
  machine.places = {0, 1, 0};
  BOOST_CHECK_THROW(routes(machine, memory::host, memory::host, "direct"), onehop::usage_error);
}

BOOST_AUTO_TEST_CASE(the_shortest_put_that_waits_for_a_grant_is_known) {
  const auto least = [](std::vector<protocol> protocols) {
    return routes(with_protocols(std::move(protocols)), memory::host, memory::host, "direct")
        .least_granted_bytes();
  };
  auto granted = of(memory::host, "direct", 0), eager = granted;
  granted.grant = 0;
  eager.most_bytes = 4096;
  BOOST_TEST(least({granted}) == 1U);
  BOOST_TEST(least({eager, granted}) == 4097U);
  BOOST_TEST(least({eager}) == UINT64_MAX);
  granted.least_bytes = 100;
  BOOST_TEST(least({granted, eager}) == 100U);
}
