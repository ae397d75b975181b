// What becomes of groups when a rank fails, leaves or does not come.

#include <signal.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "support/exchange.hpp"

using namespace onehop;
using namespace std::chrono_literals;
using test::contains;
using test::expect;
using test::job;
using test::message_of;

namespace {

/// In a launched job that job alone; what ends it is then to be run by itself.
const std::vector<job>& failing() {
  static const std::vector<job> jobs{{job::threads, 4},
                                     {job::processes, 4},
                                     {job::adversary, 4},
                                     {job::virtual_put, 4},
                                     {job::conductor_put, 4}};
  return test::launched_job() ? test::every_job() : jobs;
}

/// Where time goes on when a rank has reached its deadline.
const std::vector<job>& late() {
  static const std::vector<job> jobs{{job::threads, 4}, {job::processes, 4}, {job::adversary, 4}};
  return test::launched_job() ? test::every_job() : jobs;
}

/// Waits in vain for the rest of a group until an error comes.
template <class Error>
std::string wait_in(const context& group) {
  return message_of<Error>([&] {
    for (;;) barrier(group);
  });
}

}  // namespace

BOOST_DATA_TEST_CASE(a_split_that_a_rank_does_not_join_ends_at_the_deadline, late(), where) {
  where.run([](context ctx) {
    if (ctx.rank() == 1) {
      test::doze(ctx, 500ms);
      return;
    }
    ctx.set_deadline(100ms);
    const std::string message = message_of<timeout_error>([&] { ctx.split(0); });
    expect(contains(message, "in a split of 8 bytes: rank 1 has not come"), message);
  });
}

BOOST_DATA_TEST_CASE(a_split_beside_another_call_names_both, failing(), where) {
  where.run([](context ctx) {
    const std::string message = message_of<usage_error>([&] {
      if (ctx.rank() == 0) return barrier(ctx);
      ctx.split(0);
    });
    expect(contains(message, "a split of 8 bytes") && contains(message, "a barrier"), message);
  });
}

BOOST_DATA_TEST_CASE(a_deadline_in_a_group_says_who_its_ranks_are, late(), where) {
  where.run([](context ctx) {
    const context group = ctx.split(ctx.rank() % 2, -ctx.rank()).value();
    if (group.rank() == 0) {
      group.set_deadline(100ms);
      const std::string message = message_of<timeout_error>([&] { barrier(group); });
      const bool even = ctx.rank() % 2 == 0;
      expect(contains(message, "rank 1 has not come; ranks 0, 1 of this group are ranks ") &&
                 contains(message, even ? " 2, 0 of the job" : " 3, 1 of the job"),
             message);
      group.set_deadline(60s);
    } else {
      test::doze(ctx, 500ms);
      barrier(group);
    }
    barrier(ctx);
  });
}

BOOST_DATA_TEST_CASE(a_chain_that_does_not_fit_says_who_its_ranks_are, failing(), where) {
  where.run([](context ctx) {
    const context group = ctx.split(ctx.rank() / 2, -ctx.rank()).value();
    put_chain chain(group, window::allocate(group, 100));
    if (group.rank() == 0) chain.add_origin(1);
    const std::string message = message_of<chain_error>([&] { chain.commit(); });
    const std::string names = ctx.rank() < 2 ? "1, 0" : "3, 2";
    expect(contains(message, "; ranks 0, 1 of this group are ranks " + names + " of the job"),
           message);
  });
}

BOOST_DATA_TEST_CASE(a_rank_that_gives_up_ends_every_group, failing(), where) {
  where.run([](context ctx) {
    const context group = ctx.split(ctx.rank() / 2, -ctx.rank()).value();
    const context deeper = group.split(0).value();
    if (ctx.rank() == 1) {
      test::doze(ctx, 20ms);
      deeper.abandon("the disk is full");
      for (const context& any : {ctx, group, deeper})
        expect(any.failed_first(), "the reason is this rank's");
      return;
    }
    // Rank 0 is in the same group, ranks 2 and 3 are not.
    expect(wait_in<peer_error>(deeper) == "rank 1 failed: the disk is full", "in the group");
    const std::string message = wait_in<peer_error>(ctx);
    expect(message == "rank 1 failed: the disk is full", "in the whole");
    // Every program abandons when it ends by an error: under MPI the ranks meet once more.
    ctx.abandon(message);
  });
}

BOOST_DATA_TEST_CASE(a_member_that_leaves_early_is_an_error_on_those_who_wait, failing(), where) {
  where.run([](context ctx) {
    {
      const context group = ctx.split(ctx.rank() / 2).value();
      barrier(group);
      if (group.rank() == 1) {
        const std::string message = wait_in<peer_error>(group);
        expect(contains(message, "rank 0 left the group while rank 1 waits"), message);
      }
    }
    barrier(ctx);
  });
}

BOOST_AUTO_TEST_CASE(a_killed_rank_is_an_error_in_every_group_within_two_seconds) {
  const auto begin = test::clock::now();
  const auto ends = test::run_in_processes(4, [](context ctx) {
    const context group = ctx.split(ctx.rank() / 2, -ctx.rank()).value();
    if (ctx.rank() == 1) {
      test::doze(ctx, 50ms);
      raise(SIGKILL);
    }
    // Rank 2 does not come to the barrier of its group, in which rank 3 waits.
    if (ctx.rank() == 2) test::doze(ctx, 300ms);
    for (;;) barrier(ctx.rank() == 2 ? ctx : group);
  });
  BOOST_TEST(test::seconds_since(begin) < 2.5);
  BOOST_TEST(ends[1].signal == SIGKILL);
  for (const std::size_t rank : {0, 2, 3})
    BOOST_TEST(contains(ends[rank].message, "rank 1 failed: its process"), ends[rank].message);
}
