// Each stage alone is compared with its closed form, on an idle machine.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <onehop/error.hpp>

#include "machines.hpp"
#include "netsim/workload/program.hpp"

using namespace onehop::netsim;

namespace {

constexpr picoseconds us = 1'000'000;

// Returns two nodes and a link that takes no time.
machine_description bare() { return torus({2}); }

picoseconds over(std::uint64_t bytes, double rate) {
  return static_cast<picoseconds>(std::llround(static_cast<double>(bytes) * 1e12 / rate));
}

/// Four packets go within a latency.
dma_engine sliding_reader() {
  dma_engine dma;
  dma.latency = 20 * us;
  dma.rate = 4e9;
  dma.window_bytes = 4 * 4096;
  dma.drains = false;
  return dma;
}

}  // namespace

BOOST_AUTO_TEST_CASE(bytes_take_their_time_and_no_rate_means_none) {
  BOOST_TEST(pace(2.5e9)(4096) == over(4096, 2.5e9));
  BOOST_TEST(pace(1e9)(std::uint64_t{1} << 40) == picoseconds{1000} << 40);
  BOOST_TEST(pace(0)(4096) == 0);
}

BOOST_AUTO_TEST_CASE(software_costs_per_message_chain_piece_and_byte) {
  auto machine = bare();
  at_origin(machine, software_step{1 * us, 2 * us, 100, 1e9});
  message one{.origin = 0, .target = 1, .bytes = 5000, .pieces = 7};
  BOOST_TEST(time_of(machine, one) == 3 * us + 700 + over(5000, 1e9));
  one.first_of_chain = false;
  BOOST_TEST(time_of(machine, one) == 1 * us + 700 + over(5000, 1e9));
}

BOOST_AUTO_TEST_CASE(copies_and_kernels_store_and_forward) {
  auto machine = bare();
  at_origin(machine, copy_engine{10 * us, 0, 5e9});
  at_origin(machine, gpu_kernel{5 * us, 100e9});
  at_target(machine, copy_engine{10 * us, 0, 4e9});
  at_target(machine, event_queue_entry{300, 200});
  BOOST_TEST(time_of(machine, 1 << 20) ==
             25 * us + over(1 << 20, 5e9) + over(1 << 20, 100e9) + over(1 << 20, 4e9) + 500);
}

BOOST_AUTO_TEST_CASE(an_event_delays_without_occupying) {
  auto machine = bare();
  at_target(machine, event_queue_entry{us, us});
  diary all(machine);
  for (int k = 0; k < 5; ++k) all.post(0, 1, 8);
  all.net.run();
  for (std::uint64_t k = 0; k < 5; ++k) BOOST_TEST(all.arrived[k] == 2 * us);
}

// Two ranks of node 0 send to node 1 at once: each has a core, and the adapter serves both, which
// takes less than a core.
BOOST_AUTO_TEST_CASE(ranks_of_a_node_have_cores_of_their_own_and_share_its_adapter) {
  auto machine = bare();
  machine.places = {0, 0, 1};
  at_origin(machine, software_step{us, 0, 0, 0}, "cpu");
  at_origin(machine, dma_engine{.rate = 1e9});
  diary all(machine);
  for (const std::uint16_t rank : {std::uint16_t{0}, std::uint16_t{1}})
    all.net.post({.origin = 0, .target = 1, .origin_slot = rank, .bytes = 500, .token = rank});
  all.net.run();
  BOOST_TEST(all.arrived[0] == us + over(500, 1e9));
  BOOST_TEST(all.arrived[1] == us + 2 * over(500, 1e9));
  // One rank's messages take its core in turn.
  diary one(machine);
  for (const std::uint64_t number : {0U, 1U})
    one.net.post({.origin = 0, .target = 1, .bytes = 1, .token = number});
  one.net.run();
  BOOST_TEST(one.arrived[1] == 2 * us + over(1, 1e9));
  const message beyond{.origin = 1, .target = 0, .origin_slot = 2};
  BOOST_CHECK_THROW(time_of(machine, beyond), onehop::usage_error);
}

BOOST_AUTO_TEST_CASE(ranks_of_a_node_share_a_unit_that_also_takes_packets) {
  auto machine = bare();
  machine.places = {0, 0, 1};
  at_origin(machine, software_step{us, 0, 0, 0}, "adapter");
  at_origin(machine, dma_engine{.rate = 1e9}, "adapter");
  diary all(machine);
  for (const std::uint16_t rank : {std::uint16_t{0}, std::uint16_t{1}})
    all.net.post({.origin = 0, .target = 1, .origin_slot = rank, .bytes = 500, .token = rank});
  all.net.run();
  BOOST_TEST(all.arrived[0] == us + over(500, 1e9));
  BOOST_TEST(all.arrived[1] == 2 * (us + over(500, 1e9)));
}

BOOST_AUTO_TEST_CASE(a_message_between_ranks_of_a_node_takes_its_stages_and_makes_no_packets) {
  auto machine = bare();
  machine.places = {1, 1};
  at_origin(machine, software_step{us, 0, 0, 2e9}, "cpu");
  at_target(machine, copy_engine{3 * us, 0, 4e9});
  diary all(machine);
  all.net.post({.origin = 1, .target = 1, .target_slot = 1, .bytes = 8000});
  all.net.run();
  BOOST_TEST(all.arrived[0] == 4 * us + over(8000, 2e9) + over(8000, 4e9));
  BOOST_TEST(all.freed[0] == us + over(8000, 2e9));
  BOOST_TEST(all.net.account().packets_made == 0U);
}

BOOST_AUTO_TEST_CASE(a_shared_unit_serves_one_after_the_other) {
  auto machine = bare();
  at_origin(machine, software_step{us, 0, 0, 0}, "cpu");
  at_target(machine, software_step{2 * us, 0, 0, 0}, "cpu");
  diary all(machine);
  all.post(0, 1, 8);
  all.post(1, 0, 8);
  all.net.run();
  BOOST_TEST(all.arrived[0] == 3 * us);
  diary both(machine);
  both.post(0, 1, 8);
  both.post(1, 0, 8);
  both.post(1, 0, 8);
  both.net.run();
  BOOST_TEST(both.arrived[0] == 4 * us);  // after the second post of node 1
}

BOOST_AUTO_TEST_CASE(stages_in_a_row_on_one_unit_are_one_visit) {
  for (const bool is_target : {false, true}) {
    auto machine = bare();
    const auto add = is_target ? at_target : at_origin;
    add(machine, software_step{3 * us, 0, 0, 0}, "cpu");
    add(machine, software_step{0, 0, 0, 1e9}, "cpu");
    add(machine, copy_engine{us, 0, 0}, "cpu");
    const auto visit = 3 * us + over(5000, 1e9) + us;
    diary all(machine);
    for (int k = 0; k < 3; ++k) all.post(0, 1, 5000);
    all.net.run();
    // No message begins before the one in front of it has been through all three.
    for (std::uint64_t k = 0; k < 3; ++k)
      BOOST_TEST(all.arrived[k] == static_cast<picoseconds>(k + 1) * visit);
    const auto served = all.net.accounts().stages;
    BOOST_TEST(served[0].waited == 3 * visit);
    BOOST_TEST(served[1].waited == 0);
    BOOST_TEST(served[2].waited == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_unit_serves_others_while_a_message_is_elsewhere) {
  const auto second_of = [](const stage_model& elsewhere, const char* unit) {
    auto machine = bare();
    at_origin(machine, software_step{3 * us, 0, 0, 0}, "cpu");
    at_origin(machine, elsewhere, unit);
    at_origin(machine, software_step{us, 0, 0, 0}, "cpu");
    diary all(machine);
    all.post(0, 1, 8);
    all.post(0, 1, 8);
    all.net.run();
    BOOST_TEST(all.arrived[0] == 14 * us);
    return all.arrived[1];
  };
  BOOST_TEST(second_of(copy_engine{10 * us, 0, 0}, "") == 24 * us);
  // A delay occupies nothing, whatever unit it names.
  BOOST_TEST(second_of(event_queue_entry{10 * us, 0}, "") == 17 * us);
  BOOST_TEST(second_of(event_queue_entry{10 * us, 0}, "cpu") == 17 * us);
}

// A second call came while the first message's packets were being read.
BOOST_AUTO_TEST_CASE(a_call_that_reads_the_message_too_runs_to_its_end) {
  const auto read = over(8192, 1e9);
  for (const bool is_one_unit : {true, false}) {
    auto machine = bare();
    at_origin(machine, software_step{2 * us, 0, 0, 0}, "block");
    at_origin(machine, dma_engine{.rate = 1e9}, is_one_unit ? "block" : "engine");
    diary all(machine);
    for (int k = 0; k < 3; ++k) all.post(0, 1, 8192);
    all.net.run();
    const auto visit = is_one_unit ? 2 * us + read : read;
    for (std::uint64_t k = 0; k < 3; ++k) {
      const auto expected = 2 * us + read + static_cast<picoseconds>(k) * visit;
      BOOST_TEST(std::abs(all.arrived[k] - expected) <= 10);
    }
    const auto served = all.net.accounts().stages;
    BOOST_TEST(served[0].waited == (is_one_unit ? 3 * visit : 6 * us));
  }
}

// Two paths use one unit, as a library's blocks of GPU and of pinned memory do.
BOOST_AUTO_TEST_CASE(calls_wait_for_a_reading_one_whatever_their_path) {
  auto machine = bare();
  at_origin(machine, software_step{us, 0, 0, 0}, "block");
  at_origin(machine, dma_engine{.rate = 1e9}, "block");
  machine.paths.push_back({.name = "word", .origin = {0}, .target = {}});
  diary all(machine);
  all.post(0, 1, 40960);
  message word{.origin = 0, .target = 1, .bytes = 8, .path = 1, .token = 7};
  all.net.post(word);
  all.post(0, 1, 4096);
  all.net.run();
  const auto first = us + over(40960, 1e9);
  BOOST_TEST(std::abs(all.arrived[7] - (first + us)) <= 10);
  BOOST_TEST(std::abs(all.arrived[1] - (first + 2 * us + over(4096, 1e9))) <= 10);
}

BOOST_AUTO_TEST_CASE(a_dma_reads_with_latency_gap_and_rate) {
  auto machine = bare();
  dma_engine dma;
  dma.latency = 1 * us;
  dma.gap = 900'000;
  dma.rate = 3.57e9;
  at_origin(machine, dma);
  const auto packet = over(4096, 3.57e9);
  BOOST_TEST(time_of(machine, 100) == us + over(100, 3.57e9));
  // The gap is between packets, not after the last.
  BOOST_TEST(std::abs(time_of(machine, 40960) - (us + 10 * packet + 9 * 900'000)) <= 10);
}

BOOST_AUTO_TEST_CASE(dma_channels_hide_gaps_up_to_the_rate) {
  dma_engine dma;
  dma.gap = 900'000;
  dma.rate = 3.57e9;
  const auto packet = over(4096, 3.57e9);
  for (const std::uint32_t channels : {1U, 2U, 4U, 8U}) {
    dma.channels = channels;
    auto machine = bare();
    at_origin(machine, dma);
    const auto cycle = std::max(packet, (packet + 900'000) / channels);
    BOOST_TEST(std::abs(time_of(machine, 4096 * 101) - (100 * cycle + packet)) <= 200);
  }
}

BOOST_AUTO_TEST_CASE(dma_channels_take_messages_in_turn) {
  dma_engine dma;
  dma.rate = 1e9;
  dma.channels = 2;
  auto machine = bare();
  at_origin(machine, dma);
  diary all(machine);
  for (int k = 0; k < 3; ++k) all.post(0, 1, 4096 * 10);
  all.net.run();
  const auto packet = over(4096, 1e9);
  BOOST_TEST(all.arrived[0] == 19 * packet);
  BOOST_TEST(all.arrived[1] == 20 * packet);
  BOOST_TEST(all.arrived[2] == 30 * packet);
}

BOOST_AUTO_TEST_CASE(a_window_that_drains_pays_the_latency_once_per_window) {
  dma_engine dma;
  dma.latency = 2'900'000;
  dma.rate = 1.6e9;
  dma.window_bytes = 32768;
  dma.drains = true;
  auto machine = bare();
  machine.fabrics[0].transmit_packets = 64;
  at_origin(machine, dma);
  const auto windows = 16;
  BOOST_TEST(std::abs(time_of(machine, 32768 * windows) -
                      windows * (2'900'000 + over(32768, 1.6e9))) <= 100);
}

BOOST_AUTO_TEST_CASE(a_window_that_slides_carries_itself_per_latency) {
  const dma_engine dma = sliding_reader();
  auto machine = bare();
  machine.fabrics[0].transmit_packets = 64;
  at_origin(machine, dma);
  const auto packet = over(4096, 4e9);
  // Four packets go per latency and packet; the last of 40 has three before it in its turn.
  BOOST_TEST(std::abs(time_of(machine, 40 * 4096) - (10 * (20 * us + packet) + 3 * packet)) <= 100);
}

// Four readers at once, two on each of two nodes, wait for their own packets alone.
BOOST_AUTO_TEST_CASE(windows_of_nodes_and_of_paths_are_their_own) {
  const dma_engine dma = sliding_reader();
  auto machine = bare();
  machine.fabrics[0].transmit_packets = 64;
  at_origin(machine, dma, "first");
  machine.stages.push_back({"other", "second", dma});
  machine.paths.push_back({.name = "other", .origin = {1}, .target = {}});
  diary all(machine);
  for (std::uint32_t k = 0; k < 4; ++k) {
    message one{.origin = k / 2, .target = 1 - k / 2, .bytes = 40 * 4096, .path = k % 2};
    one.token = k;
    all.net.post(one);
  }
  all.net.run();
  const auto packet = over(4096, 4e9);
  for (std::uint64_t k = 0; k < 4; ++k)
    BOOST_TEST(std::abs(all.arrived[k] - (10 * (20 * us + packet) + 3 * packet)) <= 100);
}

BOOST_AUTO_TEST_CASE(a_window_below_the_packet_splits_it) {
  dma_engine dma;
  dma.latency = us;
  dma.rate = 1e9;
  dma.window_bytes = 1024;
  auto machine = bare();
  at_origin(machine, dma);
  BOOST_TEST(time_of(machine, 4096) == 4 * us + over(4096, 1e9));
  BOOST_TEST(time_of(machine, 8192) == 8 * us + over(8192, 1e9));
}

BOOST_AUTO_TEST_CASE(every_further_row_of_a_strided_source_takes_time_to_start) {
  dma_engine dma;
  dma.rate = 1e9;
  dma.per_piece = 50'000;
  auto machine = bare();
  at_origin(machine, dma);
  message one{.origin = 0, .target = 1, .bytes = 10000, .pieces = 1000};
  BOOST_TEST(std::abs(time_of(machine, one) - over(10000, 1e9) - 999 * 50'000) <= 3);
  one.pieces = 1;
  BOOST_TEST(std::abs(time_of(machine, one) - over(10000, 1e9)) <= 3);
}

BOOST_AUTO_TEST_CASE(a_port_adds_its_overhead_per_bus_packet) {
  auto machine = bare();
  at_target(machine, bus_port{200'000, 4e9, 256, 24});
  BOOST_TEST(time_of(machine, 1000) == 200'000 + over(1000 + 4 * 24, 4e9));
  BOOST_TEST(std::abs(time_of(machine, 4096 * 8) - (200'000 + over(8 * 16 * 280, 4e9))) <= 8);
}

BOOST_AUTO_TEST_CASE(translation_misses_once_per_page_within_its_reach) {
  const translation tlb{124'000, 1'600'000, 8, 4096, 0};
  auto machine = bare();
  at_target(machine, tlb);
  const auto time_twice = [&](std::uint64_t bytes) {
    diary all(machine);
    all.post(0, 1, bytes);
    all.post(0, 1, bytes);
    all.net.run();
    return all.net.now();
  };
  BOOST_TEST(time_twice(4096 * 8) == 8 * (1'600'000 + 124'000));
  // Beyond the reach of the table the page used longest ago is always the one needed next.
  BOOST_TEST(time_twice(4096 * 9) == 18 * 1'600'000);
}

BOOST_AUTO_TEST_CASE(a_packet_across_pages_is_looked_up_for_each) {
  auto machine = bare();
  at_target(machine, translation{100, 1000, 8, 4096, 0});
  message one{.origin = 0, .target = 1, .bytes = 4096, .address = 2048};
  BOOST_TEST(time_of(machine, one) == 2000);
}

BOOST_AUTO_TEST_CASE(translation_without_entries_always_misses_and_may_move_the_data_too) {
  auto machine = bare();
  at_target(machine, translation{100, 2'200'000, 0, 4096, 3.4e9});
  BOOST_TEST(std::abs(time_of(machine, 4096 * 10) - 10 * (2'200'000 + over(4096, 3.4e9))) <= 10);
}

BOOST_AUTO_TEST_CASE(stages_per_packet_overlap_and_the_slowest_decides) {
  auto machine = bare();
  dma_engine dma;
  dma.latency = us;
  dma.rate = 3e9;
  at_origin(machine, dma);
  at_target(machine, translation{500'000, 500'000, 0, 4096, 0});
  at_target(machine, bus_port{us, 1e9, 4096, 0});
  const auto slowest = over(4096, 1e9);
  BOOST_TEST(std::abs(time_of(machine, 4096 * 20) - (us + 500'000 + us + 20 * slowest)) <= 20);
}

BOOST_AUTO_TEST_CASE(stages_behind_a_reader_overlap_unless_they_share_a_unit) {
  for (const bool is_one_unit : {false, true}) {
    auto machine = bare();
    machine.fabrics[0].transmit_packets = 64;
    at_origin(machine, dma_engine{});
    at_origin(machine, translation{us, us, 0, 4096, 0}, is_one_unit ? "controller" : "table");
    at_origin(machine, bus_port{0, 1e9, 4096, 0}, is_one_unit ? "controller" : "port");
    const auto packet = over(4096, 1e9);
    const auto expected = is_one_unit ? 10 * (us + packet) : us + 10 * packet;
    BOOST_TEST(std::abs(time_of(machine, 4096 * 10) - expected) <= 20);
  }
}

// A packet that comes later does not keep one waiting that is there already.
BOOST_AUTO_TEST_CASE(a_stage_behind_two_readers_serves_in_the_order_of_arrival) {
  auto machine = bare();
  at_origin(machine, dma_engine{.latency = 10 * us}, "first");
  at_origin(machine, bus_port{0, 1e9, 4096, 0}, "shared");
  machine.stages.push_back({"other", "second", dma_engine{}});
  machine.paths.push_back({.name = "other", .origin = {2, 1}, .target = {}});
  diary all(machine);
  for (std::uint32_t k = 0; k < 2; ++k) {
    message one{.origin = 0, .target = 1, .bytes = 4096, .path = k};
    one.token = k;
    all.net.post(one);
  }
  all.net.run();
  BOOST_TEST(all.arrived[0] == 10 * us + over(4096, 1e9));
  BOOST_TEST(all.arrived[1] == over(4096, 1e9));
}

BOOST_AUTO_TEST_CASE(what_says_nothing_takes_no_time) {
  const std::vector<stage_model> before = {software_step{}, copy_engine{}, gpu_kernel{},
                                           event_queue_entry{}};
  const std::vector<stage_model> packets = {
      dma_engine{}, translation{}, translation{.entries = 8, .page_bytes = 1U << 20U}, bus_port{}};
  for (const auto add : {at_origin, at_target})
    for (const auto& models : {before, packets})
      for (const auto& model : models) {
        auto machine = bare();
        add(machine, model, "");
        BOOST_TEST(time_of(machine, 100'000) == 0);
      }
  BOOST_TEST(machine_description{}.nodes == 1U);
  BOOST_TEST(switch_groups{}.groups == 1U);
  BOOST_TEST(switch_groups{}.global_ports == 1U);
  BOOST_TEST(collective_software{}.reduce_rate == 0);
  BOOST_TEST(operation_step{}.time == 0);
}

BOOST_AUTO_TEST_CASE(a_unit_with_two_stages_in_a_row_finishes_each_packet) {
  auto machine = bare();
  at_target(machine, translation{us, us, 0, 4096, 0}, "controller");
  at_target(machine, bus_port{0, 1e9, 4096, 0}, "controller");
  // Neither overlaps with the other, from packet to packet.
  BOOST_TEST(std::abs(time_of(machine, 4096 * 10) - 10 * (us + over(4096, 1e9))) <= 10);
}

BOOST_AUTO_TEST_CASE(the_origin_hears_when_the_last_byte_is_read_plus_the_local_time) {
  auto machine = bare();
  dma_engine dma;
  dma.latency = us;
  dma.rate = 1e9;
  at_origin(machine, dma);
  machine.paths[0].local = 77;
  diary all(machine);
  all.post(0, 1, 10000);
  all.net.run();
  BOOST_TEST(all.freed[0] == us + over(10000, 1e9) + 77);
}

BOOST_AUTO_TEST_CASE(a_slow_node_takes_its_factor_longer) {
  auto machine = bare();
  at_origin(machine, software_step{us, 0, 0, 0});
  at_target(machine, bus_port{us, 0, 256, 0});
  machine.slow_nodes = {{0, 3.0}};
  BOOST_TEST(time_of(machine, 8) == 4 * us);
  machine.slow_nodes = {{1, 2.5}};
  BOOST_TEST(time_of(machine, 8) == us + us * 5 / 2);
  for (const slow_node wrong : {slow_node{2, 3.0}, slow_node{0, 0.0}, slow_node{0, 2e6}}) {
    machine.slow_nodes = {wrong};
    BOOST_CHECK_THROW(machine.check(), onehop::usage_error);
  }
}

BOOST_AUTO_TEST_CASE(alarms_ring_in_order_and_never_in_the_past) {
  diary all(bare());
  all.net.alarm(500, 1);
  all.net.alarm(100, 2);
  all.net.run();
  BOOST_TEST(all.rang[1] == 500);
  BOOST_TEST(all.rang[2] == 100);
  BOOST_CHECK_THROW(all.net.alarm(499, 3), std::exception);
}
