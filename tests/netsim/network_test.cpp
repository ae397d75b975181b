// The network is tested as a whole: links, credits, contention, damage, order.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <onehop/error.hpp>
#include <sstream>

#include <onehop/random.hpp>
#include "machines.hpp"
#include "netsim/workload/program_run.hpp"
#include "netsim/workload/transfer_run.hpp"

using namespace onehop::netsim;

namespace {

constexpr picoseconds us = 1'000'000;

cable link_of(double rate, picoseconds latency, std::uint32_t credits = 8) {
  cable link;
  link.raw_rate = rate;
  link.latency = latency;
  link.credits = credits;
  return link;
}

// Returns a machine with everything that a network has: several kinds of stages, contention and bit
// errors.
machine_description busy_torus(std::vector<std::uint32_t> extents) {
  auto link = link_of(3.5e9, 100'000, 2);
  link.efficiency = 0.63;
  link.framing_bytes = 32;
  link.bit_error_rate = 1e-7;
  auto machine = torus(std::move(extents), link);
  machine.fabrics[0].router_latency = 50'000;
  machine.fabrics[0].transmit_packets = 2;
  machine.fabrics[0].receive_packets = 2;
  at_origin(machine, software_step{300'000, 0, 0, 0}, "cpu");
  at_origin(machine, dma_engine{2, 500'000, 700'000, 0, 3e9, 8192, true});
  at_target(machine, translation{124'000, 1'600'000, 4, 4096, 0});
  at_target(machine, bus_port{200'000, 3e9, 256, 24});
  at_target(machine, software_step{100'000, 0, 0, 0}, "cpu");
  machine.protocols = {direct()};
  return machine;
}

std::string trace_of(const machine_description& machine, std::uint32_t seed, queue_kind how) {
  transfer_run run(machine, {}, how);
  for (std::uint32_t k = 0; k < 200; ++k) {
    const auto words = onehop::philox4x32({k, seed, 0, 0}, {1, 2});
    run.add({.origin = static_cast<int>(words[0] % machine.nodes),
             .target = static_cast<int>(words[1] % machine.nodes),
             .bytes = words[2] % 40000,
             .address = words[3] % 65536,
             .delay = words[3] % 50 * 100'000});
  }
  run.net().record_trace();
  run.run();
  std::ostringstream out;
  run.net().write_trace(out);
  return out.str();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_hop_adds_cable_and_router_and_bytes_are_paid_once) {
  auto link = link_of(4e9, 100'000);
  link.efficiency = 0.5;
  link.framing_bytes = 96;
  for (const std::uint32_t hops : {1U, 3U, 4U}) {
    auto machine = torus({9}, link);
    machine.fabrics[0].router_latency = 30'000;
    const auto expected = 30'000 + hops * 130'000 + pace(2e9)(4096);
    BOOST_TEST(time_of(machine, 4000, hops) == expected);
  }
}

BOOST_AUTO_TEST_CASE(packets_stream_at_the_rate_of_the_link) {
  auto link = link_of(1e9, 100'000);
  link.framing_bytes = 24;
  const auto machine = torus({5}, link);
  const auto time = time_of(machine, 4096 * 50, 2);
  BOOST_TEST(time == 200'000 + 50 * pace(1e9)(4120));
}

// Credits are out for a round trip: rate = credits * packet / (packet time + two latencies).
BOOST_AUTO_TEST_CASE(few_credits_on_a_long_cable_limit_the_rate) {
  const auto packet = pace(1e9)(4096);
  for (const std::uint32_t credits : {1U, 2U, 3U, 8U}) {
    const auto machine = torus({4}, link_of(1e9, 10 * us, credits));
    const auto trip = packet + 20 * us;
    const auto cycle = std::max<picoseconds>(packet * credits, trip);
    const auto rounds = 240 / credits;
    const auto expected = (rounds - 1) * cycle + credits * packet + 10 * us;
    BOOST_TEST(std::abs(time_of(machine, 4096 * 240, 1) - expected) <= 10);
  }
}

// Packets in transit go first, but those that enter are not shut out. Neither crosses the link that
// closes the ring; with a credit per channel and a long cable two channels carry twice as much.
BOOST_AUTO_TEST_CASE(packets_that_stay_within_a_ring_fill_both_channels) {
  cable far;
  far.raw_rate = 1e9;
  far.latency = 20'000'000;
  far.credits = 1;
  const auto machine = torus({8}, far);
  const auto time = [&machine](std::uint32_t second_target) {
    diary run(machine);
    for (std::uint32_t k = 0; k < 40; ++k) run.post(0, k % 2 == 0 ? 1 : second_target, 4096);
    run.net.run();
    return static_cast<double>(run.net.now());
  };
  BOOST_TEST(time(2) < 0.6 * time(1));
}

BOOST_AUTO_TEST_CASE(two_streams_keep_a_link_busy_and_neither_starves) {
  const auto machine = torus({4}, link_of(1e9, 0));
  diary all(machine);
  all.post(0, 2, 4096 * 100);
  all.post(1, 2, 4096 * 100);
  all.net.run();
  const auto whole = pace(1e9)(4096 * 200);
  BOOST_TEST(std::abs(all.net.now() - whole) <= pace(1e9)(4096));
  BOOST_TEST(all.arrived[0] < all.arrived[1]);
  BOOST_TEST(all.arrived[0] > whole / 2 + whole / 8);
}

BOOST_AUTO_TEST_CASE(a_slow_target_holds_its_senders_back) {
  auto machine = torus({3}, link_of(10e9, 0, 2));
  machine.fabrics[0].transmit_packets = 2;
  machine.fabrics[0].receive_packets = 2;
  at_origin(machine, dma_engine{1, 0, 0, 0, 10e9, 0, true});
  at_target(machine, bus_port{0, 1e9, 4096, 0});
  diary all(machine);
  all.post(0, 1, 4096 * 50);
  all.net.run();
  const auto packet = pace(1e9)(4096);
  // Two packets wait at the target, two on the link, two to be sent.
  BOOST_TEST(std::abs(all.freed[0] - (all.arrived[0] - 6 * packet)) <= packet);
}

// Damage costs this share of the time: p/(1-p) attempts more, each a packet and a retry.
BOOST_AUTO_TEST_CASE(damaged_packets_are_sent_again_as_often_as_the_bit_error_rate_says) {
  auto link = link_of(1e9, 100'000);
  link.bit_error_rate = 1e-6;
  link.retry = 2 * us;
  const auto machine = torus({4}, link);
  diary all(machine);
  const int packets = 20000;
  all.post(0, 1, 4096 * std::uint64_t{packets});
  all.net.run();
  const double p = -std::expm1(8 * 4096 * std::log1p(-1e-6));
  const double expected = packets * p / (1 - p);
  const auto again = static_cast<double>(all.net.account().retransmissions);
  BOOST_TEST(std::abs(again - expected) < 5 * std::sqrt(expected));
  const auto packet = pace(1e9)(4096);
  BOOST_TEST(all.net.now() ==
             packets * packet + 100'000 + static_cast<picoseconds>(again) * (packet + 2 * us));
}

BOOST_AUTO_TEST_CASE(a_loopback_uses_no_link) {
  auto machine = torus({3}, link_of(1e3, us));
  at_origin(machine, dma_engine{1, 0, 0, 0, 1e9, 0, true});
  BOOST_TEST(time_of(machine, 10000, 0) == pace(1e9)(10000));
}

BOOST_AUTO_TEST_CASE(a_message_that_stays_at_home_frees_its_source_after_the_local_time) {
  auto machine = torus({3}, link_of(1e3, us));
  machine.paths[0].local = 77;
  diary all(machine);
  all.post(2, 2, 10000);
  all.net.run();
  BOOST_TEST(all.freed.at(0) == 77);
  BOOST_TEST(all.arrived.at(0) == 0);
}

BOOST_AUTO_TEST_CASE(a_message_without_bytes_is_one_packet) {
  const auto machine = torus({3}, link_of(1e9, us));
  BOOST_TEST(time_of(machine, 0, 1) == us);
}

BOOST_AUTO_TEST_CASE(stages_that_share_units_across_paths_agree_with_events_for_each) {
  // A second path through the same port keeps the first from being computed ahead.
  auto joined = torus({2}, link_of(2e9, us));
  at_origin(joined, dma_engine{1, 0, us, 0, 1e9, 0, true});
  at_origin(joined, bus_port{us, 3e9, 256, 16});
  at_target(joined, translation{us, us, 0, 4096, 0});
  at_target(joined, bus_port{us, 3e9, 256, 16});
  auto apart = joined;
  apart.stages.push_back({"other", "", dma_engine{}});
  apart.stages.push_back({"third", "", translation{}});
  auto second = apart.paths[0];
  second.origin = {4, 1};
  second.target = {5, 3};
  apart.paths.push_back(second);
  for (const std::uint64_t bytes : {1ULL, 4096ULL, 100000ULL})
    BOOST_TEST(time_of(joined, bytes) == time_of(apart, bytes));
}

BOOST_AUTO_TEST_CASE(pages_are_looked_up_wherever_a_stage_stands) {
  // A table of four pages misses once for each of 64, at the origin behind a bus as before it, and
  // at the target when another path keeps it from being computed ahead.
  constexpr picoseconds miss = 20 * us;
  const translation table{us / 10, miss, 4, 4096, 0};
  auto first = torus({2}, link_of(2e9, us)), last = first, apart = first;
  at_origin(first, table);
  at_origin(first, bus_port{us, 3e9, 256, 16});
  at_origin(last, bus_port{us, 3e9, 256, 16});
  at_origin(last, table);
  at_target(apart, bus_port{us, 3e9, 256, 16});
  at_target(apart, table);
  apart.stages.push_back({"other", "", bus_port{}});
  auto second = apart.paths[0];
  second.target = {static_cast<std::uint32_t>(apart.stages.size() - 1), 1};
  apart.paths.push_back(second);
  for (const auto& machine : {first, last, apart}) {
    const auto taken = time_of(machine, 64 * 4096);
    BOOST_TEST(taken > 64 * miss);
    BOOST_TEST(taken < 66 * miss + 200 * us);
  }
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_trace_and_schedulers_agree) {
  const auto machine = busy_torus({4, 3, 2});
  const auto trace = trace_of(machine, 7, queue_kind::ladder);
  BOOST_TEST(trace.size() > 100000U);
  BOOST_TEST((trace == trace_of(machine, 7, queue_kind::ladder)));
  BOOST_TEST((trace == trace_of(machine, 7, queue_kind::heap)));
  auto other = machine;
  other.seed = 2;
  BOOST_TEST((trace != trace_of(other, 7, queue_kind::ladder)));
}

BOOST_AUTO_TEST_CASE(a_written_trace_names_each_of_its_threads_once) {
  auto machine = torus({3}, link_of(1e9, us));
  at_origin(machine, software_step{us, 0, 0, 0});
  diary all(machine);
  all.net.record_trace();
  for (int k = 0; k < 2; ++k) all.post(0, 1, 5000);
  all.net.run();
  std::ostringstream out;
  all.net.write_trace(out);
  const auto count = [&](const std::string& words) {
    std::size_t found = 0;
    for (auto at = out.str().find(words); at != std::string::npos;
         at = out.str().find(words, at + 1))
      ++found;
    return found;
  };
  // Two messages are of two packets each; the stage and one link work.
  BOOST_TEST(count(R"("ph":"X")") == 2U + 4U);
  BOOST_TEST(count(R"("thread_name")") == 2U);
  BOOST_TEST(count(R"("args":{"name":"origin0"})") == 1U);
}

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

BOOST_AUTO_TEST_CASE(transfers_wait_for_those_they_name) {
  auto machine = torus({4}, link_of(0, us));
  machine.protocols = {direct()};
  transfer_run run(machine, {});
  run.add({.origin = 0, .target = 1, .bytes = 8});
  for (int k = 1; k < 4; ++k)
    run.add({.origin = k, .target = (k + 1) % 4, .bytes = 8, .after = {k - 1}, .delay = 10});
  BOOST_TEST(run.run() == 4 * us + 30);
  BOOST_TEST(run.run() == 2 * (4 * us + 30));
}

BOOST_AUTO_TEST_CASE(transfers_wait_for_sources_too) {
  auto machine = torus({2}, link_of(0, us));
  machine.protocols = {direct()};
  machine.paths[0].local = 10 * us;
  const auto second = [&](std::int64_t after) {
    transfer_run run(machine, {});
    run.add({.origin = 0, .target = 1, .bytes = 8});
    run.add({.origin = 0, .target = 1, .bytes = 8, .after = {after}});
    run.run();
    return run.arrived()[1];
  };
  BOOST_TEST(second(0) == 2 * us);
  BOOST_TEST(second(~0) == 11 * us);
  for (const std::int64_t not_there : {1, ~1})
    BOOST_CHECK_THROW(second(not_there), onehop::usage_error);
}

// Every target is ready, so an unasked grant is there before a transfer that begins late.
BOOST_AUTO_TEST_CASE(a_transfer_follows_its_protocol) {
  auto machine = torus({4}, link_of(0, us, 64));
  const auto time_with = [&](std::int32_t request, std::int32_t grant, picoseconds delay) {
    machine.protocols = {direct()};
    machine.protocols[0].request = request;
    machine.protocols[0].grant = grant;
    transfer_run run(machine, {});
    run.add({.origin = 0, .target = 1, .bytes = 8, .delay = delay});
    run.run();
    return run.arrived()[0] - delay;
  };
  BOOST_TEST(time_with(-1, -1, 0) == us);
  BOOST_TEST(time_with(0, -1, 0) == us);
  BOOST_TEST(time_with(0, 0, 5 * us) == 3 * us);
  BOOST_TEST(time_with(-1, 0, 0) == 2 * us);
  BOOST_TEST(time_with(-1, 0, 5 * us) == us);
}

// A credit stays with its target: it holds back data that have come before it, adds nothing where
// it was given before, and no data wait for it at their origin.
BOOST_AUTO_TEST_CASE(a_credit_lets_data_in_where_they_have_come) {
  auto machine = torus({4}, link_of(0, us, 64));
  machine.stages = {{"credit", "cpu", software_step{3 * us, 0, 0, 0}}};
  machine.paths.push_back(machine.paths[0]);
  machine.paths[1].origin = {0};
  machine.protocols = {direct()};
  machine.protocols[0].credit = 1;
  const auto time_with = [&](picoseconds delay) {
    transfer_run run(machine, {});
    run.add({.origin = 0, .target = 1, .bytes = 8, .delay = delay});
    const auto end = run.run();
    BOOST_TEST(run.net().account().messages_delivered == 2U);
    BOOST_TEST(run.freed()[0] == delay);
    BOOST_TEST(run.arrived()[0] == end);
    return end - delay;
  };
  BOOST_TEST(time_with(0) == 3 * us);
  BOOST_TEST(time_with(5 * us) == us);
  // Whoever waits for the data goes on when they are let in, and not when they have come.
  transfer_run run(machine, {});
  run.add({.origin = 0, .target = 1, .bytes = 8});
  run.add({.origin = 1, .target = 2, .bytes = 8, .after = {0}});
  run.run();
  BOOST_TEST(run.freed()[1] == 3 * us);
}

BOOST_AUTO_TEST_CASE(a_transfer_that_cannot_be_is_refused_and_leaves_nothing_behind) {
  auto machine = torus({4}, link_of(0, us));
  machine.protocols = {direct()};
  transfer_run run(machine, {});
  BOOST_CHECK_THROW(run.add({.origin = 0, .target = 4, .bytes = 8}), onehop::usage_error);
  BOOST_CHECK_THROW(run.add({.origin = -1, .target = 0, .bytes = 8}), onehop::usage_error);
  run.add({.origin = 0, .target = 1, .bytes = 8});
  run.add({.origin = 1, .target = 2, .bytes = 8, .delay = 5 * us});
  BOOST_CHECK_THROW(run.add({.origin = 2, .target = 3, .bytes = 8, .after = {0, 7}}),
                    onehop::usage_error);
  // The next of its number does not inherit what it was to wait for.
  run.add({.origin = 2, .target = 3, .bytes = 8, .after = {0, 1}});
  run.run();
  BOOST_TEST(run.arrived()[2] == 7 * us);
}

BOOST_AUTO_TEST_CASE(work_in_steady_state_takes_no_more_memory) {
  const auto machine = busy_torus({3, 3});
  const auto memory = [&](std::uint32_t steps) {
    return program_run(machine, {}, halo(machine, 50000, steps)).run().network.account.memory_bytes;
  };
  BOOST_TEST(memory(50) <= memory(5) * 5 / 4);
}
