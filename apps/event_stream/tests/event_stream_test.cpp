#include <event_stream/trigger_run.hpp>

#include <onehop/adversary.hpp>
#include <onehop/error.hpp>

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>

using namespace event_stream;

namespace {

stream_settings few_events(int sources, int consumers) {
  stream_settings how;
  how.sources = sources;
  how.consumers = consumers;
  how.events_per_s = 1e5;
  how.seconds = 0.02;
  how.buffers = 2;
  return how;
}

void expect(bool right, const std::string& what) {
  if (!right) throw std::logic_error(what);
}

/// Each event that happened is decided once, in order, with the right bytes.
void expect_whole(const run_report& found, const stream_settings& how) {
  const std::string of =
      std::to_string(how.sources) + " sources, " + std::to_string(how.consumers) + " consumers: ";
  arrivals moments(how.arrivals, how.events_per_s, how.seed);
  std::uint64_t events = 0;
  while (moments.next() < how.end_ns()) ++events;
  expect(found.events == events, of + "events");
  expect(found.decided == events,
         of + std::to_string(found.decided) + " decided of " + std::to_string(events));
  expect(found.fragments_taken == events * static_cast<std::uint64_t>(how.sources),
         of + "fragments");
  expect(found.faults.total() == 0 && found.decisions.repeated == 0, of + "faults");
  expect(found.trigger.events == events, of + "trigger");
  const auto& trigger = found.trigger;
  expect(how.hits == hit_pattern::none ||
             (10 * trigger.kept_rings > 9 * trigger.rings &&
              found.decisions.kept == trigger.kept_rings + trigger.kept_noise),
         of + "kept");
}

void play_and_expect(const onehop::context& job, const stream_settings& how) {
  const run_report found = run_trigger(job, how, wire_kind::put);
  if (job.rank() == 0) expect_whole(found, how);
}

run_report play(const stream_settings& how, wire_kind kind) {
  run_report found;
  onehop::run_on_threads(how.sources + how.consumers, [&](const onehop::context& job) {
    const run_report mine = run_trigger(job, how, kind);
    if (job.rank() == 0) found = mine;
  });
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_event_is_decided_once_whoever_sends_and_takes) {
  for (const auto& [sources, consumers] : {std::pair{1, 1}, {1, 3}, {3, 1}, {2, 2}}) {
    stream_settings how = few_events(sources, consumers);
    for (const auto pattern : {arrival_pattern::poisson, arrival_pattern::bunches}) {
      how.arrivals = pattern;
      onehop::run_on_threads(sources + consumers,
                             [&](const onehop::context& job) { play_and_expect(job, how); });
    }
  }
}

BOOST_AUTO_TEST_CASE(every_event_is_decided_once_under_the_adversary) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (const auto& [sources, consumers] : {std::pair{1, 1}, {1, 2}, {2, 1}, {2, 2}}) {
      stream_settings how = few_events(sources, consumers);
      how.seconds = 0.003;
      how.by_load = sources == 1 && seed == 2;
      onehop::run_with_adversary(sources + consumers, seed,
                                 [&](const onehop::context& job) { play_and_expect(job, how); });
    }
}

BOOST_AUTO_TEST_CASE(a_stalled_consumer_holds_its_source_and_nothing_is_lost) {
  stream_settings how = few_events(1, 1);
  how.events_per_s = 1e6;
  how.seconds = 0.1;
  how.stall_ms = 100;
  // Two buffers of 32 KiB hold 1 ms of events.
  const run_report found = play(how, wire_kind::put);
  expect_whole(found, how);
  BOOST_TEST(found.back_pressure_s > 0.05);
  BOOST_TEST(found.decisions.misses > 10000);
}

BOOST_AUTO_TEST_CASE(what_udp_loses_is_counted) {
  stream_settings how = few_events(1, 1);
  BOOST_TEST(play(how, wire_kind::udp).faults.total() == 0);
  how.events_per_s = 2e6;
  how.seconds = 0.4;
  how.stall_ms = 300;
  const run_report found = play(how, wire_kind::udp);
  BOOST_TEST(found.kernel_buffer_bytes > 0);
  BOOST_TEST(found.decided < found.events);
  BOOST_TEST(found.fragments_taken < found.fragments_sent);
  BOOST_TEST(found.faults.total() == 0);
  BOOST_TEST(found.decisions.repeated == 0);
}

BOOST_AUTO_TEST_CASE(several_sources_meet_over_udp_too) {
  for (const auto& [sources, consumers] : {std::pair{2, 2}, {1, 3}}) {
    const stream_settings how = few_events(sources, consumers);
    const run_report found = play(how, wire_kind::udp);
    BOOST_TEST(found.decided <= found.events);
    BOOST_TEST(found.decided > 0);
    BOOST_TEST(found.faults.total() == 0);
  }
}

BOOST_AUTO_TEST_CASE(other_content_than_hits_comes_too) {
  stream_settings how = few_events(2, 1);
  how.hits = hit_pattern::none;
  how.payload_bytes = 1024;
  onehop::run_on_threads(3, [&](const onehop::context& job) { play_and_expect(job, how); });
}

BOOST_AUTO_TEST_CASE(settings_that_cannot_be_are_refused_on_every_rank) {
  const auto refuses = [](const stream_settings& how, wire_kind kind = wire_kind::put) {
    onehop::run_on_threads(2, [&](const onehop::context& job) {
      try {
        run_trigger(job, how, kind);
      } catch (const onehop::usage_error&) {
        return;
      }
      throw std::logic_error("not refused");
    });
  };
  refuses(few_events(2, 1));
  stream_settings how = few_events(1, 1);
  how.payload_bytes = 12;
  refuses(how);
  how.payload_bytes = 1440;
  refuses(how);
  how = few_events(1, 1);
  how.batch = 0;
  refuses(how);
  how = few_events(1, 1);
  how.by_load = true;
  refuses(how, wire_kind::udp);
  how.seconds = -1;
  refuses(how);
}

BOOST_AUTO_TEST_CASE(sockets_are_refused_where_time_is_virtual) {
  BOOST_CHECK_THROW(onehop::run_with_adversary(2, 1,
                                               [&](const onehop::context& job) {
                                                 run_trigger(job, few_events(1, 1), wire_kind::udp);
                                               }),
                    onehop::usage_error);
}
