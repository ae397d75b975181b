// Halo exchanges and collectives follow their programs and protocols.
#include <boost/test/unit_test.hpp>
#include <onehop/error.hpp>

#include "links.hpp"
#include "netsim/workload/collective_walk.hpp"
#include "netsim/workload/handshake.hpp"
#include "netsim/workload/program_run.hpp"

using namespace onehop::netsim;

namespace {

/// Both ways along every axis, and along the diagonal of three of them.
program halo(const machine_description& machine, std::uint64_t bytes, std::uint32_t steps) {
  program what{machine.grid(), {}, {}, steps};
  for (std::size_t axis = 0; axis < what.grid.size(); ++axis)
    for (const int by : {1, -1}) {
      what.faces.push_back({{}, bytes});
      what.faces.back().shift[axis] = by;
    }
  if (what.grid.size() == 3)
    what.faces.insert(what.faces.end(), {{{1, 1, 1}, bytes}, {{-1, -1, -1}, bytes}});
  what.steps = {{operation_step::kind::send}, {operation_step::kind::await}};
  return what;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_halo_exchange_is_the_same_for_all_nodes_of_a_torus) {
  auto machine = busy_torus({4, 4, 4});
  machine.fabrics[0].links[0].bit_error_rate = 0;
  auto what = halo(machine, 24576, 3);
  what.steps.insert(what.steps.begin(), {operation_step::kind::work, 5 * us});
  program_run run(machine, {}, what);
  const auto time = run.run().total;
  const auto sum = run.net().account();
  BOOST_TEST(sum.messages_delivered == 64U * 8 * 3);
  BOOST_TEST(sum.packet_hops == 64U * (6 + 2 * 3) * 6 * 3);
  BOOST_TEST(time > 15 * us);
  for (const auto end : run.finished()) BOOST_TEST(end > time / 2);
}

// Request, grant, blocks and notice take their turn, and the steps of neighbours do not mix.
BOOST_AUTO_TEST_CASE(a_halo_exchange_follows_its_protocol) {
  auto machine = torus({4, 4}, link_of(0, us, 64));
  const auto time_with = [&](std::int32_t request, std::int32_t grant, std::int32_t notice) {
    protocol how = direct();
    how.block_bytes = 1000;
    how.request = request;
    how.grant = grant;
    how.notice = notice;
    machine.protocols = {how};
    program_run run(machine, {}, halo(machine, 5000, 3));
    const auto time = run.run().total;
    BOOST_TEST(run.net().account().messages_delivered == run.face_messages());
    return time;
  };
  BOOST_TEST(time_with(-1, -1, -1) == 3 * us);
  BOOST_TEST(time_with(-1, -1, 0) == 3 * us);
  BOOST_TEST(time_with(-1, 0, -1) == 6 * us);
  BOOST_TEST(time_with(0, -1, -1) == 3 * us);
  BOOST_TEST(time_with(0, 0, -1) == 9 * us);
}

// A rank of a pair sends and receives in steps of other numbers than its partner.
BOOST_AUTO_TEST_CASE(any_number_of_nodes_sums_by_doubling) {
  auto machine = torus({6}, link_of(0, us, 64));
  machine.protocols = {direct()};
  machine.collectives.resize(1);
  machine.collectives[0].variant = "direct";
  machine.collectives[0].allreduce = "recursive-doubling";
  program_run run(machine, {}, {{6}, {}, {{operation_step::kind::sum, 0, 8}}, 2});
  // Two of the six are summed by their neighbours first: a hop there, two of doubling among ranks
  // 1, 3, 4 and 5, which are at most 3 apart, and a hop back.
  BOOST_TEST(run.run().total > 2 * 4 * us);
  BOOST_TEST(run.net().account().messages_delivered == 2U * (2 + 8 + 2));
}

// Each of four ranks hears of all in two steps of dissemination, or of ten ranks in four. Messages
// that a rank sends in a row are one chain, and what it sends after it has heard begins another.
BOOST_AUTO_TEST_CASE(a_collective_alone_takes_the_time_of_its_steps) {
  topology pairs;
  pairs.kind = topology_kind::all_to_all;
  pairs.nodes = 10;
  auto machine = network_of(pairs, link_of(0, us, 64));
  machine.protocols = {direct()};
  machine.collectives.resize(1);
  machine.collectives[0].variant = "direct";
  machine.collectives[0].broadcast = "linear";
  constexpr picoseconds of_message = 10 * us, of_chain = 100 * us;
  at_origin(machine, software_step{of_message, of_chain, 0, 0});
  for (const auto& [ranks, steps] : {std::pair{4, 2}, {10, 4}}) {
    const auto time = [&, ranks = ranks](collective what, std::size_t bytes) {
      return collective_time(machine, {}, what, ranks, bytes);
    };
    BOOST_TEST(time(collective::barrier, 0) == steps * (of_chain + of_message + us));
    BOOST_TEST(time(collective::broadcast, 8) == of_chain + (ranks - 1) * of_message + us);
  }
}

// A parcel that is in its target's memory makes room for the next.
BOOST_AUTO_TEST_CASE(parcels_of_a_long_run_take_the_memory_of_those_under_way) {
  struct nobody final : recipient {
    void left(std::uint64_t) override {}
    void came(std::uint64_t) override {}
  };
  auto machine = torus({2}, link_of(0, us, 64));
  machine.protocols = {direct()};
  dispatcher messages(machine);
  const routes ways(machine, {});
  nobody who;
  handshakes all(messages, ways, who);
  for (std::uint64_t key = 0; key < 10'000; ++key) {
    all.send(key, {.origin = 0, .target = 1, .bytes = 8, .way = &machine.protocols[0]});
    messages.net().run();
  }
  BOOST_TEST(all.memory_bytes() < 10'000U);
}

BOOST_AUTO_TEST_CASE(a_face_without_an_opposite_is_refused) {
  auto machine = torus({4}, link_of(0, us, 64));
  machine.protocols = {direct()};
  auto what = halo(machine, 100, 1);
  what.faces.pop_back();
  BOOST_CHECK_THROW(program_run(machine, {}, what), onehop::usage_error);
  what.faces.clear();
  what.grid = {5};
  BOOST_CHECK_THROW(program_run(machine, {}, what), onehop::usage_error);
}

BOOST_AUTO_TEST_CASE(work_in_steady_state_takes_no_more_memory) {
  const auto machine = busy_torus({3, 3});
  const auto memory = [&](std::uint32_t steps) {
    return program_run(machine, {}, halo(machine, 50000, steps)).run().network.account.memory_bytes;
  };
  BOOST_TEST(memory(50) <= memory(5) * 5 / 4);
}
