// The network is tested as a whole: links, credits, contention, damage, order.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <sstream>

#include <onehop/random.hpp>
#include "links.hpp"
#include "netsim/workload/transfer_run.hpp"

using namespace onehop::netsim;

namespace {

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
