#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <thread>

#include "support/exchange.hpp"

using namespace onehop;
using namespace std::chrono_literals;
using test::contains;
using test::expect;
using test::job;
using test::message_of;
using test::ring;

namespace {

/// In a launched job it is that job alone; a test that ends it is to be run by itself.
const std::vector<job>& several() {
  static const std::vector<job> jobs{{job::threads, 2},   {job::threads, 4},   {job::processes, 2},
                                     {job::processes, 4}, {job::adversary, 2}, {job::adversary, 3}};
  return test::launched_job() ? test::every_job() : jobs;
}
const std::vector<job> processes{{job::processes, 2}, {job::processes, 4}};

/// Exchanges until an error ends the job.
void exchange_for_ever(ring& exchange) {
  for (;;) {
    exchange.chain.start();
    exchange.chain.wait();
  }
}

}  // namespace

BOOST_DATA_TEST_CASE(deadline_says_who_waits_for_whom, several(), where) {
  where.run([](context ctx) {
    ring exchange(ctx, 64, true);
    exchange.chain.start();
    exchange.chain.wait();
    if (ctx.rank() == 0) {
      ctx.set_deadline(200ms);
      exchange.chain.start();
      const auto begin = clock_of(ctx).now();
      const std::string message = message_of<timeout_error>([&] { exchange.chain.wait(); });
      const double waited = test::seconds_since(ctx, begin);
      expect(waited > 0.19 && waited < 1.5, "the deadline");
      const std::string below = std::to_string(exchange.below);
      expect(contains(message, "rank 0 of ") && contains(message, "in exchange 2 of a put chain") &&
                 contains(message,
                          "notification 0 from rank " + below + " was last seen in exchange 1"),
             message);
      ctx.set_deadline(60s);
    }
    barrier(ctx);
    if (ctx.rank() != 0) exchange.chain.start();
    exchange.chain.wait();
  });
}

BOOST_DATA_TEST_CASE(deadline_of_a_collective_names_who_has_not_come, several(), where) {
  where.run([](context ctx) {
    if (ctx.rank() == 1) {
      test::doze(ctx, 500ms);
      return barrier(ctx);
    }
    ctx.set_deadline(100ms);
    const std::string message = message_of<timeout_error>([&] { barrier(ctx); });
    expect(contains(message, "in a barrier of 0 bytes: rank 1 has not come"), message);
  });
}

BOOST_DATA_TEST_CASE(deadline_of_a_start_names_the_target_that_lags, several(), where) {
  where.run([](context ctx) {
    window memory = window::allocate(ctx, 100);
    std::vector<std::byte> source(100);
    put_chain chain(ctx, memory);
    if (ctx.rank() == 0) chain.push({local_view::contiguous(source), 1, 0});
    if (ctx.rank() == 1) chain.add_origin(0);
    chain.commit();
    if (ctx.rank() == 0) {
      ctx.set_deadline(100ms);
      chain.start();
      chain.wait();
      const std::string message = message_of<timeout_error>([&] { chain.start(); });
      expect(contains(message, "to start exchange 2") && contains(message, "room at rank 1"),
             message);
      ctx.set_deadline(60s);
    }
    barrier(ctx);
  });
}

BOOST_DATA_TEST_CASE(an_abandoned_job_ends_on_all_with_the_reason, several(), where) {
  where.run([](context ctx) {
    ring exchange(ctx, 64, true);
    if (ctx.rank() == 1) {
      test::doze(ctx, 20ms);
      ctx.abandon("the disk\nis full");
      return;
    }
    const auto begin = clock_of(ctx).now();
    const std::string message = message_of<peer_error>([&] { exchange_for_ever(exchange); });
    expect(message == "rank 1 failed: the disk is full", message);
    expect(message_of<peer_error>([&] { barrier(ctx); }) == message, "and so does the next wait");
    expect(test::seconds_since(ctx, begin) < 2, "within 2 s");
    // Every program abandons when it ends by an error: under MPI the ranks meet once more.
    ctx.abandon(message);
  });
}

BOOST_DATA_TEST_CASE(a_rank_that_leaves_early_is_an_error_on_those_who_wait, several(), where) {
  where.run([](context ctx) {
    {
      ring exchange(ctx, 64, true);
      exchange.chain.start();
      exchange.chain.wait();
    }
    if (ctx.rank() == 1) return;
    const std::string message = message_of<peer_error>([&] { barrier(ctx); });
    expect(contains(message, "rank 1 left the job"), message);
  });
}

BOOST_AUTO_TEST_CASE(threads_rethrow_the_first_ranks_exception) {
  const auto run = [] {
    run_on_threads(4, [](context ctx) {
      if (ctx.rank() == 2) throw numeric_error("link of rank 2");
      barrier(ctx);
    });
  };
  BOOST_TEST(message_of<numeric_error>(run) == "link of rank 2");
}

BOOST_DATA_TEST_CASE(a_killed_rank_is_an_error_within_two_seconds, processes, where) {
  const auto begin = test::clock::now();
  const auto ends = test::run_in_processes(where.ranks, [](context ctx) {
    ring exchange(ctx, 64, true);
    if (ctx.rank() == 1) {
      test::doze(ctx, 50ms);
      raise(SIGKILL);
    }
    exchange_for_ever(exchange);
  });
  BOOST_TEST(test::seconds_since(begin) < 2);
  BOOST_TEST(ends[1].signal == SIGKILL);
  for (int rank = 0; rank < where.ranks; ++rank)
    if (rank != 1) BOOST_TEST(contains(ends[rank].message, "rank 1 failed: its process"), rank);
}

BOOST_DATA_TEST_CASE(the_launcher_can_tell_the_ranks_who_failed, processes, where) {
  const int segment = create_segment(where.ranks);
  BOOST_TEST(!first_failure(segment).has_value());
  std::vector<test::child_process> children;
  for (int rank = 0; rank < where.ranks; ++rank)
    children.emplace_back([&] {
      const context ctx = test::join_as(segment, rank, where.ranks);
      ring exchange(ctx, 64, true);
      exchange_for_ever(exchange);
    });
  std::this_thread::sleep_for(100ms);
  const auto begin = test::clock::now();
  mark_failed(segment, 1, "killed by signal 9 (Killed)");
  mark_failed(segment, 0, "a later failure");
  for (test::child_process& child : children)
    BOOST_TEST(child.wait().message == "rank 1 failed: killed by signal 9 (Killed)");
  BOOST_TEST(test::seconds_since(begin) < 2);
  BOOST_TEST(first_failure(segment)->rank == 1);
  BOOST_TEST(first_failure(segment)->reason == "killed by signal 9 (Killed)");
  close(segment);
}

// A shell between the launcher and its ranks outlives it, so that the kernel does not end them.
BOOST_AUTO_TEST_CASE(ranks_below_another_process_notice_that_their_launcher_has_ended) {
  int ends[2];
  BOOST_REQUIRE(pipe(ends) == 0);
  const auto wait_in_vain = [&](const context& ctx) {
    const std::string said = message_of<peer_error>([&] { barrier(ctx); });
    _exit(write(ends[1], said.data(), said.size()) < 0 ? 1 : 0);
  };
  const auto shell = [&](int segment) {
    std::array<pid_t, 2> ranks{};
    for (int rank = 0; rank < 2; ++rank)
      if ((ranks[rank] = fork()) == 0) {
        const context ctx = test::join_as(segment, rank, 2);
        barrier(ctx);
        if (rank == 1) pause();
        if (write(ends[1], "x", 1) == 1) wait_in_vain(ctx);
      }
    waitpid(ranks[0], nullptr, 0);
    kill(ranks[1], SIGKILL);
    _exit(0);
  };
  {
    test::child_process launcher([&] {
      const int segment = create_segment(2);
      if (fork() == 0) shell(segment);
      pause();
    });
    close(ends[1]);
    char joined = 0;
    BOOST_REQUIRE(read(ends[0], &joined, 1) == 1);
  }
  std::string said(1000, '\0');
  said.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, read(ends[0], said.data(), said.size()))));
  BOOST_TEST(test::contains(said, "the launcher, process "));
  BOOST_TEST(test::contains(said, " has ended: start the job again"));
  close(ends[0]);
}

BOOST_AUTO_TEST_CASE(ranks_die_with_their_launcher) {
  int ends[2];
  BOOST_REQUIRE(pipe(ends) == 0);
  {
    test::child_process launcher([&] {
      const int segment = create_segment(2);
      for (int rank = 0; rank < 2; ++rank)
        if (fork() == 0) {
          const context ctx = test::join_as(segment, rank, 2);
          barrier(ctx);
          if (rank == 0 && write(ends[1], "x", 1) != 1) _exit(1);
          pause();
        }
      pause();
    });
    close(ends[1]);
    char joined = 0;
    BOOST_REQUIRE(read(ends[0], &joined, 1) == 1);
  }
  // The launcher is killed; the pipe ends with the last rank that holds it.
  pollfd end{ends[0], POLLIN, 0};
  BOOST_REQUIRE(poll(&end, 1, 2000) == 1);
  char rest = 0;
  BOOST_TEST(read(ends[0], &rest, 1) == 0);
  close(ends[0]);
}
