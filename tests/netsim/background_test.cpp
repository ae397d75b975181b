// Jobs that share cables must share them as they can be divided by hand, and jobs that share
// nothing must not notice each other.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <onehop/error.hpp>

#include "machines.hpp"
#include "netsim/workload/program_run.hpp"
#include "netsim/workload/traffic_run.hpp"

using namespace onehop::netsim;

namespace {

constexpr std::uint32_t packet_bytes = 4096;

// Two switches of `each` nodes, with one cable of 1 GB/s between a switch and the one above both.
// Jobs go by path 0, which engines feed, and traffic by path 1, so that it does not wait for the
// messages of jobs.
machine_description two_leaves(std::uint32_t each) {
  cable link;
  link.raw_rate = 1e9;
  link.latency = 50'000;
  link.credits = 16;
  auto machine = tree({{each, 1}, {2, 1}}, 1, link);
  machine.protocols = {direct()};
  at_origin(machine, dma_engine{});
  machine.paths.push_back({});
  return machine;
}

// Two nodes send each other a message along each way of their ring.
program exchange(std::uint64_t bytes, std::uint32_t times = 1) {
  program what{{2}, {{{1}, bytes}, {{-1}, bytes, bytes}}, {}, times};
  what.steps = {{operation_step::kind::send}, {operation_step::kind::await}};
  return what;
}

struct outcome {
  program_times of;
  std::vector<program_times> beside;
};

outcome exchange_on(machine_description machine, std::vector<std::uint32_t> places,
                    const background& beside, std::uint64_t bytes, std::uint32_t times = 1,
                    queue_kind how = queue_kind::ladder) {
  machine.places = std::move(places);
  program_run run(machine, {}, exchange(bytes, times), how, beside);
  const auto of = run.run();
  return {of, run.beside()};
}

background pairs(std::initializer_list<std::vector<std::uint32_t>> places, std::uint64_t bytes) {
  background who;
  for (const auto& each : places)
    who.jobs.push_back({memory::host, memory::host, "direct", exchange(bytes), each});
  return who;
}

double ratio(const program_times& a, const program_times& b) {
  return static_cast<double>(a.total) / static_cast<double>(b.total);
}

}  // namespace

BOOST_AUTO_TEST_CASE(jobs_across_one_cable_get_equal_shares_of_it) {
  const auto machine = two_leaves(4);
  constexpr std::uint64_t bytes = 500 * packet_bytes;
  const auto alone = exchange_on(machine, {0, 4}, {}, bytes).of;
  // 1000 packets of 4.096 us at 1 GB/s, and 0.25 us for four cables and their heads.
  BOOST_TEST(static_cast<double>(alone.total) == 1000 * 4.096e6,
             boost::test_tools::tolerance(0.001));
  const auto two = exchange_on(machine, {0, 4}, pairs({{1, 5}}, bytes), bytes);
  BOOST_TEST(ratio(two.of, alone) == 2.0, boost::test_tools::tolerance(0.003));
  BOOST_REQUIRE(two.beside.size() == 1U);
  const auto four = exchange_on(machine, {0, 4}, pairs({{1, 5}, {2, 6}, {3, 7}}, bytes), bytes);
  BOOST_TEST(ratio(four.of, alone) == 4.0, boost::test_tools::tolerance(0.003));
}

BOOST_AUTO_TEST_CASE(jobs_that_share_nothing_do_not_notice_each_other) {
  const auto machine = two_leaves(4);
  const auto alone = exchange_on(machine, {0, 1}, {}, 100'000, 5).of;
  const auto beside = exchange_on(machine, {0, 1}, pairs({{4, 5}, {2, 3}}, 300'000), 100'000, 5);
  BOOST_TEST(beside.of.total == alone.total);
  BOOST_TEST(beside.of.halo_wait_ps == alone.halo_wait_ps);
  // The others are as fast as alone, too.
  for (const auto& one : beside.beside) {
    const auto by_itself = exchange_on(machine, {4, 5}, {}, 300'000, one.iterations).of;
    BOOST_TEST(one.total == by_itself.total);
  }
}

// A job beside goes on until the measured one is through, and ends with the iteration that it is
// in: its time is not shorter, and shorter than with another iteration.
BOOST_AUTO_TEST_CASE(a_job_beside_lasts_as_long_as_the_measured_one) {
  const auto machine = two_leaves(4);
  const auto found = exchange_on(machine, {0, 4}, pairs({{1, 5}}, 10'000), 1'000'000, 3);
  const auto& other = found.beside.at(0);
  BOOST_TEST(other.iterations > 50U);
  BOOST_TEST(other.total >= found.of.total);
  const auto each = other.total / other.iterations;
  BOOST_TEST(other.total < found.of.total + 3 * each);
  const auto again =
      exchange_on(machine, {0, 4}, pairs({{1, 5}}, 10'000), 1'000'000, 3, queue_kind::heap);
  BOOST_TEST(again.of.total == found.of.total);
  BOOST_TEST(again.beside.at(0).total == other.total);
}

// Four nodes of a leaf offer the cable 0.15 each, so that a job has 0.4 of it left.
BOOST_AUTO_TEST_CASE(background_traffic_leaves_a_job_the_rest_of_a_cable) {
  const auto machine = two_leaves(4);
  constexpr std::uint64_t bytes = 3000 * packet_bytes;
  background noise;
  traffic what;
  what.pattern = traffic_pattern::shift;
  what.distance = 4;
  what.load = 0.15;
  what.path = 1;
  noise.traffics = {what};
  const auto alone = exchange_on(machine, {0, 4}, {}, bytes).of;
  const auto loaded = exchange_on(machine, {0, 4}, noise, bytes).of;
  BOOST_TEST(ratio(loaded, alone) == 1 / 0.4, boost::test_tools::tolerance(0.03));
  BOOST_TEST(exchange_on(machine, {0, 4}, noise, bytes).of.total == loaded.total);
  noise.traffics[0].seed = 2;
  BOOST_TEST(exchange_on(machine, {0, 4}, noise, bytes).of.total != loaded.total);
}

// A job within a leaf holds up the traffic of its own two nodes, which are two of eight that send
// and two of eight that hear; a job across the leaves holds up all.
BOOST_AUTO_TEST_CASE(traffic_is_measured_beside_a_job) {
  const auto machine = two_leaves(4);
  traffic what;
  what.pattern = traffic_pattern::shift;
  what.distance = 4;
  what.load = 0.1;
  what.path = 1;
  what.window = 2'000'000'000;
  const auto lower_quartile = [&](const background& beside) {
    auto found = traffic_run(machine, what, queue_kind::ladder, beside).run();
    BOOST_TEST(found.made == found.latencies.size());
    std::sort(found.latencies.begin(), found.latencies.end());
    return static_cast<double>(found.latencies[found.latencies.size() / 4]);
  };
  const double alone = lower_quartile({});
  const double within = lower_quartile(pairs({{0, 1}}, 100 * packet_bytes));
  BOOST_TEST(within == alone, boost::test_tools::tolerance(0.05));
  BOOST_TEST(lower_quartile(pairs({{0, 4}}, 100 * packet_bytes)) > 1.5 * alone);
}

BOOST_AUTO_TEST_CASE(a_background_that_would_take_no_time_is_refused) {
  const auto machine = two_leaves(2);
  BOOST_CHECK_THROW(exchange_on(machine, {0, 1}, pairs({{2}}, 100), 100), onehop::usage_error);
  background noise;
  noise.traffics.resize(1);
  noise.traffics[0].path = 3;
  BOOST_CHECK_THROW(exchange_on(machine, {0, 1}, noise, 100), onehop::usage_error);
}
