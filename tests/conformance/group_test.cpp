// Groups of a job's ranks: who is in them, and what goes on in several at once. That everything
// else works in a group as in a job is for the other tests, which run in groups too.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <onehop/cartesian.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "support/exchange.hpp"

using namespace onehop;
using test::contains;
using test::expect;
using test::job;
using test::message_of;
using test::ring;

namespace {

/// Returns jobs of at least two ranks; where the test was launched as a job, that job alone.
const std::vector<job>& several() {
  static const std::vector<job> jobs{
      {job::threads, 2},       {job::threads, 4},       {job::processes, 2},
      {job::processes, 4},     {job::adversary, 2},     {job::adversary, 4},
      {job::virtual_put, 2},   {job::virtual_put, 4},   {job::virtual_mpi, 3},
      {job::conductor_put, 2}, {job::conductor_put, 4}, {job::threads, 2, 2},
      {job::processes, 2, 2}};
  return test::launched_job() ? test::every_job() : jobs;
}
double sum_of_ranks(const context& whole, const context& group) {
  std::vector<double> mine{1.0 * whole.rank()};
  allreduce_sum(group, mine);
  return mine[0];
}

/// Exchanges in all rings, each of which is started before any is waited for.
void exchange_together(std::vector<ring>& rings, int exchange) {
  for (ring& one : rings) {
    one.fill_sources(exchange);
    one.chain.start();
  }
  for (auto one = rings.rbegin(); one != rings.rend(); ++one) {
    one->chain.wait();
    one->expect_arrivals(exchange);
  }
}

}  // namespace

BOOST_DATA_TEST_CASE(colour_and_key_say_who_is_in_and_in_which_order, test::every_job(), where) {
  where.run([](context ctx) {
    const int ranks = ctx.size(), rank = ctx.rank();
    const context odd_and_even = ctx.split(rank % 2, -rank).value();
    expect(odd_and_even.size() == (rank % 2 == 0 ? (ranks + 1) / 2 : ranks / 2), "size");
    expect(odd_and_even.rank() == odd_and_even.size() - 1 - rank / 2, "backwards");
    const std::vector<int> members = allgather(odd_and_even, rank);
    for (int one = 0; one < odd_and_even.size(); ++one) {
      const int expected = rank % 2 + 2 * (odd_and_even.size() - 1 - one);
      expect(members[static_cast<std::size_t>(one)] == expected, "who");
      expect(odd_and_even.rank_in_job(one) == ctx.rank_in_job(expected), "by the job's numbers");
    }
    expect(odd_and_even.transport() == ctx.transport(), "the same transport");
    expect(odd_and_even.deadline() == ctx.deadline(), "the same deadline");
    expect(ctx.split(7).value().rank() == rank, "equal keys keep the order");
  });
}

BOOST_DATA_TEST_CASE(ranks_without_a_colour_are_in_no_group, test::every_job(), where) {
  where.run([](context ctx) {
    const int last = ctx.size() - 1;
    const auto but_last = ctx.split(ctx.rank() == last ? std::optional<int>() : 3);
    expect(but_last.has_value() == (ctx.rank() != last), "all but the last");
    if (but_last) expect(sum_of_ranks(ctx, *but_last) == last * (last - 1) / 2.0, "their sum");
    expect(!ctx.split(-1).has_value() && !ctx.split(std::nullopt).has_value(), "nobody");
    barrier(ctx);
  });
}

BOOST_DATA_TEST_CASE(groups_are_divided_again, test::every_job(), where) {
  where.run([](context ctx) {
    context group = ctx;
    while (group.size() > 1) {
      const int half = group.rank() * 2 / group.size();
      group = group.split(half, group.size() - group.rank()).value();
      ring exchange(group, 100, true);
      for (int number = 1; number <= 3; ++number) {
        exchange.fill_sources(number);
        exchange.chain.start();
        exchange.chain.wait();
        exchange.expect_arrivals(number);
      }
    }
    expect(group.rank_in_job() == ctx.rank_in_job(), "alone at the end");
  });
}

BOOST_DATA_TEST_CASE(chains_of_groups_and_whole_are_in_flight_at_once, several(), where) {
  where.run([](context ctx) {
    const context pair = ctx.split(ctx.rank() / 2, -ctx.rank()).value();
    const context turn = ctx.split(ctx.rank() % 2).value();
    std::vector<ring> rings;
    for (const std::size_t bytes : {8, 5000, 100'000})
      for (const context& each : {ctx, pair, turn}) rings.emplace_back(each, bytes, bytes != 5000);
    for (int exchange = 1; exchange <= 6; ++exchange) {
      exchange_together(rings, exchange);
      // The groups fall out of step with each other.
      for (int turns = ctx.rank() % 2; turns >= 0; --turns) {
        std::vector<double> one(300, 1.0);
        allreduce_sum(turn, one);
        expect(one[299] == turn.size(), "a sum in between");
      }
    }
  });
}

BOOST_DATA_TEST_CASE(groups_that_are_gone_leave_nothing_behind, several(), where) {
  where.run([](context ctx) {
    for (int turn = 0; turn < 50; ++turn) {
      const context group = ctx.split(ctx.rank() % 2, turn % 2 == 0 ? 0 : -ctx.rank()).value();
      const window memory = window::allocate(group, 5000, 1);
      for (const std::byte one : memory.local()) expect(one == std::byte{}, "zeroed");
      std::ranges::fill(memory.local(), std::byte{0xff});
      barrier(group);
    }
  });
}

BOOST_DATA_TEST_CASE(rows_and_planes_of_a_grid_are_groups, several(), where) {
  where.run([](context ctx) {
    const int wide = ctx.size() % 2 == 0 ? 2 : 1;
    const cartesian ranks(ctx, {8, 8, 8}, {.grid = {wide, ctx.size() / wide, 1}});
    for (int mu = 0; mu < 2; ++mu) {
      const context row = ranks.along({mu});
      const auto index = static_cast<std::size_t>(mu);
      expect(row.size() == ranks.grid()[index], "as long as the grid");
      expect(row.rank() == ranks.position()[index], "in the order of positions");
      for (const int other : allgather(row, ranks.position()[1 - index]))
        expect(other == ranks.position()[1 - index], "the other coordinate is the same");
    }
    const context plane = ranks.along({1, 0});
    expect(plane.size() == ctx.size() && plane.rank() == ctx.rank(), "x is the fastest");
    expect(contains(message_of<usage_error>([&] { ranks.along({3}); }), "along dimension 3"), "");
    expect(contains(message_of<usage_error>([&] { ranks.along({1, 1}); }), "more than once"), "");
  });
}

BOOST_AUTO_TEST_CASE(a_group_takes_the_virtual_time_of_a_job_of_its_size) {
  const auto time_of = [](int ranks, int members) {
    double us = 0;
    virtual_machine::run(ranks, test::small_machine("put"), [&](context ctx) {
      const auto group = ctx.split(ctx.rank() < members ? 0 : -1);
      if (!group) return;
      ring exchange(*group, 3000, true);
      std::vector<double> values(100, 1.0);
      const auto begin = ctx.now();
      for (int turn = 0; turn < 5; ++turn) {
        allreduce_sum(*group, values);
        exchange.chain.start();
        exchange.chain.wait();
      }
      barrier(*group);
      us = std::chrono::duration<double, std::micro>(ctx.now() - begin).count();
    });
    return us;
  };
  BOOST_TEST(time_of(4, 2) == time_of(2, 2));
  BOOST_TEST(time_of(4, 2) > 0);
}
