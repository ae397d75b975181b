// Exchanges for which streams wait and the host does not must be right with streams that are as
// late as possible, and be seen to be wrong as soon as a word is missing.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "fake_device/device_player.hpp"

using namespace onehop;
using test::device_ring;
using test::dice;
using test::every_real_job;
using test::expect;
using test::job;
using test::setting;

namespace {

const job two_processes{job::processes, 2};

/// Returns the jobs in which time passes by itself, as it does for devices: one rank of the
/// adversary has nothing to wait for but its device.
const std::vector<job>& every_timed_job() {
  static const std::vector<job> jobs = [] {
    std::vector<job> timed = every_real_job();
    std::erase_if(timed,
                  [](const job& where) { return where.how == job::adversary && where.ranks == 1; });
    return timed;
  }();
  return jobs;
}

void nothing_is_left() { BOOST_TEST(test::left_behind() == 0); }

void write_source(device_ring& ring, const context& ctx, int exchange) {
  ring.stream().enqueue([to = ring.source(), rank = ctx.rank(), exchange] {
    test::fill({to, 5000}, rank, 0, exchange);
  });
}

/// Checks that the arrival of exchange `exchange` is there when the stream comes to it.
void read_ghosts(device_ring& ring, const context& ctx, int exchange, int& wrong) {
  const int from = (ctx.rank() + ctx.size() - 1) % ctx.size();
  ring.stream().enqueue([here = ring.ghosts(), from, exchange, &wrong] {
    if (!test::is_filled({here, 5000}, from, 0, exchange)) ++wrong;
  });
}

/// Expects that streams do not wait, and that the chain says why.
void expect_host(const job& where, const std::string& why) {
  where.run([&](const context& ctx) {
    device_ring ring(ctx);
    ring.chain().wait_on_stream();
    ring.chain().commit();
    expect(!ring.chain().waits_on_stream(), "a stream waits");
    const std::string said = ring.chain().describe();
    expect(test::contains(said, "the host waits, not the stream: ") && test::contains(said, why),
           said);
    int wrong = 0;
    for (int exchange = 1; exchange <= 3; ++exchange) {
      write_source(ring, ctx, exchange);
      ring.chain().start();
      ring.chain().wait();
      read_ghosts(ring, ctx, exchange, wrong);
    }
    ring.chain().synchronise();
    expect(fake_driver::finish(ring.stream().handle()) && wrong == 0, "arrivals were wrong");
    barrier(ctx);
  });
  nothing_is_left();
}

/// Plays one exchange of two processes after both have broken their driver.
void play_broken(fake_driver::fault what) {
  two_processes.run([&](const context& ctx) {
    device_ring ring(ctx);
    ring.chain().wait_on_stream();
    ring.chain().commit();
    expect(ring.chain().waits_on_stream(), ring.chain().describe());
    barrier(ctx);
    fake_driver::set_fault(what);
    ctx.set_deadline(std::chrono::milliseconds(300));
    write_source(ring, ctx, 1);
    ring.chain().start();
    ring.chain().wait();
    const auto begin = test::clock::now();
    const std::string late = test::message_of<timeout_error>([&] { ring.chain().synchronise(); });
    expect(test::seconds_since(begin) < 10, "an error that waits for the stream itself");
    expect(test::contains(late, "for the stream of its device in exchange 1"), late);
    expect(test::contains(late, "put 0 has not been granted by the stream of rank "), late);
    expect(fake_driver::finish(ring.stream().handle()), "the stream was not let go");
    ctx.set_deadline(std::chrono::seconds(20));
    barrier(ctx);
  });
}

}  // namespace

BOOST_DATA_TEST_CASE(streams_wait_for_random_chains_and_the_host_does_not, every_timed_job(),
                     where) {
  where.run([&](context ctx) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      dice draw(seed * 100 + ctx.rank());
      const test::random_pattern pattern(seed, ctx.size(), 4 * ctx.size(), 20'000);
      test::device_player side(ctx, pattern, test::window_kind::registered,
                               {true, true, seed, true});
      const bool alone = ctx.size() == 1;
      if (where.how == job::processes || alone)
        expect(side.chain().waits_on_stream(), side.chain().describe());
      for (int exchange = 1; exchange <= 6; ++exchange) {
        side.start(exchange);
        side.finish(draw);
      }
      side.chain().synchronise();
      expect(side.wrong() == 0,
             std::to_string(side.wrong()) + " arrivals were wrong on the device");
      barrier(ctx);
    }
    if (where.how == job::processes)
      expect(test::left_behind() == 0, "streams, events, pinned or opened memory are left");
  });
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(start_and_wait_return_before_any_other_rank_has_started) {
  two_processes.run([](const context& ctx) {
    device_ring ring(ctx);
    ring.chain().wait_on_stream();
    ring.chain().commit();
    int wrong = 0;
    // A rank that waited on the host would never come to the barrier.
    if (ctx.rank() == 1) barrier(ctx);
    for (int exchange = 1; exchange <= 5; ++exchange) {
      write_source(ring, ctx, exchange);
      ring.chain().start();
      ring.chain().wait(ring.arrival());
      expect(ring.chain().arrived(ring.arrival()).size() == 5000, "an arrival");
      expect(ring.chain().test(), "a test that is not true");
      read_ghosts(ring, ctx, exchange, wrong);
    }
    if (ctx.rank() == 0) barrier(ctx);
    ring.chain().synchronise();
    expect(fake_driver::finish(ring.stream().handle()) && wrong == 0, "arrivals were wrong");
  });
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(a_recording_of_an_even_number_of_exchanges_may_be_replayed) {
  two_processes.run([](const context& ctx) {
    device_ring ring(ctx);
    ring.chain().wait_on_stream();
    ring.chain().commit();
    // What each replay sends is counted where a kernel would count it.
    int sent = 0, wrong = 0, seen = 0;
    const int from = 1 - ctx.rank();
    fake_driver::begin_recording();
    for (int exchange = 1; exchange <= 2; ++exchange) {
      ring.stream().enqueue([&, to = ring.source(), rank = ctx.rank()] {
        test::fill({to, 5000}, rank, 0, ++sent);
      });
      ring.chain().start();
      ring.chain().wait();
      ring.stream().enqueue([&, here = ring.ghosts()] {
        if (!test::is_filled({here, 5000}, from, 0, ++seen)) ++wrong;
      });
    }
    const fake_driver::recording graph = fake_driver::end_recording();
    for (int round = 0; round < 5; ++round) fake_driver::replay(graph, ring.stream().handle());
    expect(fake_driver::finish(ring.stream().handle()), "the recording waits for ever");
    expect(seen == 10 && wrong == 0, std::to_string(wrong) + " arrivals were wrong");
    // Exchanges outside of the recording go on from there.
    write_source(ring, ctx, 11);
    ring.chain().start();
    ring.chain().wait();
    read_ghosts(ring, ctx, 11, wrong);
    ring.chain().synchronise();
    expect(fake_driver::finish(ring.stream().handle()) && wrong == 0, "the one behind it");
  });
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(a_recording_hides_no_exchange_before_it) {
  two_processes.run([](const context& ctx) {
    device_ring ring(ctx);
    ring.chain().wait_on_stream();
    ring.chain().commit();
    if (ctx.rank() == 0) {
      // The other rank never starts, so that this exchange cannot end.
      write_source(ring, ctx, 1);
      ring.chain().start();
      ring.chain().wait();
      fake_driver::begin_recording();
      for (int exchange = 2; exchange <= 3; ++exchange) {
        ring.chain().start();
        ring.chain().wait();
      }
      fake_driver::end_recording();
      ctx.set_deadline(std::chrono::milliseconds(300));
      const std::string late = test::message_of<timeout_error>([&] { ring.chain().synchronise(); });
      expect(test::contains(late, "for the stream of its device in exchange"), late);
      ctx.set_deadline(std::chrono::seconds(20));
    }
    barrier(ctx);
  });
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(the_host_waits_where_streams_cannot_and_the_chain_says_why) {
  expect_host({job::threads, 2}, "belongs to the same process");
  {
    const setting words("FAKE_DRIVER_NO_WORDS", "1");
    expect_host(two_processes, "rank 0: its device has no stream memory operations");
  }
  {
    const setting lost("FAKE_DRIVER_LOSES_WORDS", "1");
    expect_host(two_processes, "a word that another device wrote to this one did not arrive");
  }
  const setting staged("ONEHOP_DEVICE_CHANNEL", "staged");
  expect_host(two_processes, "put 0 of rank 0 goes through the host");
}

BOOST_AUTO_TEST_CASE(streams_wait_on_all_ranks_or_on_none) {
  run_on_threads(2, [](const context& ctx) {
    device_ring ring(ctx);
    if (ctx.rank() == 1) ring.chain().wait_on_stream();
    const std::string refused = test::message_of<chain_error>([&] { ring.chain().commit(); });
    expect(
        test::contains(refused, "rank 1 commits a put chain with wait_on_stream, rank 0 without"),
        refused);
  });
  run_on_threads(1, [](const context& ctx) {
    device_ring ring(ctx);
    test::message_of<usage_error>([&] { ring.chain().synchronise(); });
    test::message_of<usage_error>([&] { (void)ring.chain().waits_on_stream(); });
    ring.chain().commit();
    test::message_of<usage_error>([&] { ring.chain().wait_on_stream(); });
  });
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(a_word_that_is_not_written_is_missed_in_time) {
  play_broken(fake_driver::fault::no_write);
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(a_word_of_another_exchange_lets_nobody_go_on) {
  play_broken(fake_driver::fault::other_value);
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(words_of_a_chain_before_do_not_count_as_arrived) {
  two_processes.run([](const context& ctx) {
    {
      device_ring before(ctx);
      before.chain().wait_on_stream();
      before.chain().commit();
      expect(before.chain().waits_on_stream(), before.chain().describe());
    }
    barrier(ctx);
    fake_driver::set_fault(fake_driver::fault::no_write);
    device_ring ring(ctx);
    ring.chain().wait_on_stream();
    ring.chain().commit();
    expect(!ring.chain().waits_on_stream(), "words that nobody wrote were taken for arrived");
    barrier(ctx);
  });
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(without_its_waits_a_stream_reads_what_has_not_come) {
  two_processes.run([](const context& ctx) {
    device_ring ring(ctx);
    ring.chain().wait_on_stream();
    ring.chain().commit();
    barrier(ctx);
    fake_driver::set_fault(fake_driver::fault::no_wait);
    int wrong = 0;
    // Nothing has been sent when the stream of rank 1 has done everything.
    if (ctx.rank() == 0) barrier(ctx);
    write_source(ring, ctx, 1);
    ring.chain().start();
    ring.chain().wait();
    read_ghosts(ring, ctx, 1, wrong);
    expect(fake_driver::finish(ring.stream().handle()), "a wait that is not there");
    if (ctx.rank() == 1) expect(wrong == 1, "a missing wait has not been noticed");
    if (ctx.rank() == 1) barrier(ctx);
  });
  nothing_is_left();
}

BOOST_AUTO_TEST_CASE(a_stream_that_waits_for_a_rank_that_failed_is_let_go) {
  const auto ends = test::run_in_processes(2, [](const context& ctx) {
    device_ring ring(ctx);
    ring.chain().wait_on_stream();
    ring.chain().commit();
    // This exchange is whole: after it rank 0 is in no commit any more, which would fail too.
    for (int exchange = 1; exchange <= (ctx.rank() == 0 ? 3 : 1); ++exchange) {
      ring.chain().start();
      ring.chain().wait();
    }
    if (ctx.rank() == 1) {
      ring.chain().synchronise();
      throw std::runtime_error("rank 1 has had enough");
    }
    const auto begin = test::clock::now();
    test::message_of<peer_error>([&] { ring.chain().synchronise(); });
    expect(test::seconds_since(begin) < 10, "an error that took too long");
    expect(fake_driver::finish(ring.stream().handle()), "the stream was not let go");
  });
  BOOST_TEST(ends[0].good(), ends[0].message);
  BOOST_TEST(ends[1].message == "rank 1 has had enough");
  nothing_is_left();
}
