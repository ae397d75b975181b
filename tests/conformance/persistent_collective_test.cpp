// Collectives are made once here, and then started and waited for.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/persistent_collective.hpp>

#include "support/exchange.hpp"

using namespace onehop;
using test::expect;

namespace {

/// These are numbers whose sum depends on the order of adding them.
double value(int rank, int round, std::size_t i) {
  const auto word = test::pattern_words(rank, 0, round)[i];
  return std::ldexp(static_cast<double>(word >> 11), static_cast<int>(word % 60) - 60);
}

void set_values(std::span<double> values, int rank, int round) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(rank, round, i);
}

void finish(const context& ctx, persistent_collective& one, int round) {
  if (round % 3 == 0) test::doze(ctx, std::chrono::microseconds(100 * (ctx.rank() % 2)));
  if ((round + ctx.rank()) % 2 == 0) return one.wait();
  while (!one.test()) {
  }
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

/// Short ones take one exchange, long ones two; there may be fewer values than ranks.
const std::vector<std::size_t> counts{1, 2, 3, 100, 1500, 5001};

}  // namespace

BOOST_DATA_TEST_CASE(a_persistent_allreduce_has_the_bits_of_allreduce, test::every_job(), where) {
  where.run([](context ctx) {
    for (const std::size_t count : counts) {
      std::vector<double> values(count);
      persistent_collective sum = persistent_allreduce(ctx, std::span(values));
      for (int round = 0; round < 5; ++round) {
        set_values(values, ctx.rank(), round);
        std::vector<double> expected = values;
        sum.start();
        allreduce(ctx, std::span(expected));  // goes between a start and its wait
        finish(ctx, sum, round);
        expect(same_bits(values, expected), std::to_string(count) + " values");
      }
    }
    std::vector<std::int64_t> largest(2000);
    persistent_collective max = persistent_allreduce(ctx, std::span(largest), reduction::max);
    for (std::size_t i = 0; i < largest.size(); ++i)
      largest[i] = static_cast<std::int64_t>(i) * (ctx.rank() + 1);
    max.start();
    max.wait();
    for (std::size_t i = 0; i < largest.size(); ++i)
      expect(largest[i] == static_cast<std::int64_t>(i) * ctx.size(), "the largest");
  });
}

BOOST_DATA_TEST_CASE(a_persistent_broadcast_comes_from_its_root, test::every_job(), where) {
  where.run([](context ctx) {
    std::vector<std::byte> data(3000);
    for (int root = 0; root < ctx.size(); ++root) {
      persistent_collective all = persistent_broadcast(ctx, data, root);
      for (int round = 1; round <= 5; ++round) {
        test::fill(data, ctx.rank(), 0, round);
        all.start();
        finish(ctx, all, round);
        test::expect_filled(data, root, 0, round);
      }
    }
  });
}

BOOST_DATA_TEST_CASE(blocks_of_persistent_collectives_go_where_they_belong, test::every_job(),
                     where) {
  where.run([](context ctx) {
    const auto ranks = static_cast<std::size_t>(ctx.size());
    for (const std::size_t size : {std::size_t{1}, std::size_t{24}, std::size_t{5000}}) {
      std::vector<std::byte> all(ranks * size), send(ranks * size), receive(ranks * size);
      const auto block = [&](std::vector<std::byte>& of, int rank) {
        return std::span(of).subspan(static_cast<std::size_t>(rank) * size, size);
      };
      persistent_collective gather = persistent_allgather(ctx, all);
      persistent_collective swap = persistent_alltoall(ctx, send, receive);
      for (int round = 1; round <= 4; ++round) {
        test::fill(block(all, ctx.rank()), ctx.rank(), 9, round);
        for (int to = 0; to < ctx.size(); ++to) test::fill(block(send, to), ctx.rank(), to, round);
        // Both are under way together.
        gather.start();
        swap.start();
        finish(ctx, swap, round);
        finish(ctx, gather, round + 1);
        for (int from = 0; from < ctx.size(); ++from) {
          test::expect_filled(block(all, from), from, 9, round);
          test::expect_filled(block(receive, from), from, ctx.rank(), round);
        }
      }
    }
  });
}

BOOST_DATA_TEST_CASE(a_persistent_reduce_scatter_has_the_bits_of_reduce_scatter, test::every_job(),
                     where) {
  where.run([](context ctx) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{300}}) {
      std::vector<double> all(count * static_cast<std::size_t>(ctx.size())), mine(count);
      persistent_collective sum = persistent_reduce_scatter<double>(ctx, all, std::span(mine));
      for (int round = 0; round < 4; ++round) {
        set_values(all, ctx.rank(), round);
        sum.start();
        finish(ctx, sum, round);
        std::vector<double> expected(count);
        reduce_scatter<double>(ctx, all, expected);
        expect(same_bits(mine, expected), "a block");
      }
    }
  });
}

BOOST_DATA_TEST_CASE(persistent_reductions_have_the_bits_of_those_that_wait, test::every_job(),
                     where) {
  where.run([](context ctx) {
    for (const std::size_t count : counts) {
      const int root = static_cast<int>(count) % ctx.size();
      std::vector<double> total(count), up_to(count), below(count), mine(count);
      persistent_collective sum = persistent_reduce(ctx, std::span(total), reduction::sum, root);
      persistent_collective sums = persistent_scan(ctx, std::span(up_to));
      persistent_collective before = persistent_exclusive_scan(ctx, std::span(below));
      for (int round = 0; round < 2; ++round) {
        set_values(mine, ctx.rank(), round);
        total = up_to = below = mine;
        sum.start();
        sums.start();
        before.start();
        std::vector<double> expected = mine;
        reduce(ctx, std::span(expected), reduction::sum, root);
        finish(ctx, before, round);
        finish(ctx, sum, round + 1);
        finish(ctx, sums, round + 2);
        if (ctx.rank() == root) expect(same_bits(total, expected), "a sum at the root");
        expected = mine;
        scan(ctx, std::span(expected));
        expect(same_bits(up_to, expected), "a scan");
        expected = mine;
        exclusive_scan(ctx, std::span(expected));
        expect(same_bits(below, expected), "an exclusive scan");
      }
    }
  });
}

BOOST_DATA_TEST_CASE(blocks_go_to_and_from_every_root_again_and_again, test::every_job(), where) {
  where.run([](context ctx) {
    const auto ranks = static_cast<std::size_t>(ctx.size());
    for (const std::size_t size : {std::size_t{0}, std::size_t{5000}})
      for (int root = 0; root < ctx.size(); ++root) {
        const bool here = ctx.rank() == root;
        std::vector<std::byte> all(here ? ranks * size : 0), mine(size), back(size);
        persistent_collective gathered = persistent_gather(ctx, mine, all, root);
        persistent_collective scattered = persistent_scatter(ctx, all, back, root);
        for (int round = 1; round <= 3; ++round) {
          test::fill(mine, ctx.rank(), 3, round);
          gathered.start();
          finish(ctx, gathered, round);
          for (std::size_t rank = 0; here && rank < ranks; ++rank)
            test::expect_filled(std::span(all).subspan(rank * size, size), static_cast<int>(rank),
                                3, round);
          scattered.start();
          finish(ctx, scattered, round + 1);
          expect(back == mine, "there and back");
        }
      }
  });
}

namespace {

using blocks = std::vector<std::vector<std::byte>>;

/// Returns how many bytes go from one rank to another; some ranks have nothing for some others.
std::size_t bytes_between(int from, int to) {
  const auto word = test::pattern_words(from, to, 7)[0];
  return word % 3 == 0 ? 0 : word % 9000;
}
blocks blocks_for(const context& ctx, const std::function<std::size_t(int)>& bytes) {
  blocks made;
  for (int rank = 0; rank < ctx.size(); ++rank) made.emplace_back(bytes(rank));
  return made;
}
std::vector<std::span<std::byte>> spans_of(blocks& of) { return {of.begin(), of.end()}; }

}  // namespace

BOOST_DATA_TEST_CASE(blocks_of_any_size_go_where_they_belong_again_and_again, test::every_job(),
                     where) {
  where.run([](context ctx) {
    const int here = ctx.rank(), root = ctx.size() - 1;
    blocks send = blocks_for(ctx, [&](int to) { return bytes_between(here, to); });
    blocks came = blocks_for(ctx, [&](int from) { return bytes_between(from, here); });
    blocks all = blocks_for(ctx, [&](int from) { return bytes_between(from, 0); });
    blocks at_root = blocks_for(ctx, [&](int from) { return bytes_between(from, 0); });
    std::vector<std::byte> back(bytes_between(here, 0));
    std::vector<persistent_collective> together;
    const std::vector<std::span<const std::byte>> sent(send.begin(), send.end());
    together.push_back(persistent_alltoallv(ctx, sent, spans_of(came)));
    together.push_back(
        persistent_allgatherv(ctx, all[static_cast<std::size_t>(here)], spans_of(all)));
    together.push_back(persistent_gatherv(
        ctx, send[0], here == root ? spans_of(at_root) : std::vector<std::span<std::byte>>(),
        root));
    const std::vector<std::span<const std::byte>> scattered(at_root.begin(), at_root.end());
    persistent_collective scatter = persistent_scatterv(ctx, scattered, back, root);
    for (int round = 1; round <= 5; ++round) {
      for (int to = 0; to < ctx.size(); ++to)
        test::fill(send[static_cast<std::size_t>(to)], here, to, round);
      test::fill(all[static_cast<std::size_t>(here)], here, 0, round);
      for (persistent_collective& one : together) one.start();
      for (persistent_collective& one : together) finish(ctx, one, round);
      scatter.start();
      finish(ctx, scatter, round + 1);
      for (int from = 0; from < ctx.size(); ++from) {
        const auto at = static_cast<std::size_t>(from);
        test::expect_filled(came[at], from, here, round);
        test::expect_filled(all[at], from, 0, round);
        if (here == root) test::expect_filled(at_root[at], from, 0, round);
      }
      expect(back == send[0], "there and back");
    }
  });
}

BOOST_DATA_TEST_CASE(a_place_of_another_size_than_its_block_is_an_error_on_all, test::every_job(),
                     where) {
  where.run([](context ctx) {
    const int last = ctx.size() - 1;
    blocks send = blocks_for(ctx, [](int) { return 16; });
    blocks came =
        blocks_for(ctx, [&](int from) { return ctx.rank() == last && from == 0 ? 8 : 16; });
    const std::vector<std::span<const std::byte>> sent(send.begin(), send.end());
    const std::string message =
        test::message_of<usage_error>([&] { persistent_alltoallv(ctx, sent, spans_of(came)); });
    expect(test::contains(message, "rank " + std::to_string(last) +
                                       ": a persistent alltoallv has "
                                       "room for 8 bytes from rank 0, which sends 16"),
           message);
    blocks more = blocks_for(ctx, [](int) { return 16; });
    more.emplace_back(16);
    expect(test::contains(test::message_of<usage_error>(
                              [&] { persistent_allgatherv(ctx, send[0], spans_of(more)); }),
                          "give one for each"),
           "another number of blocks");
    barrier(ctx);
  });
}

BOOST_DATA_TEST_CASE(an_allreduce_goes_on_while_its_rank_waits_for_something_else,
                     test::every_job(), where) {
  where.run([](context ctx) {
    std::vector<double> values(4000, 1.0);
    persistent_collective sum = persistent_allreduce(ctx, std::span(values));
    sum.start();
    // Rank 0 waits for its own sum after a barrier that the others enter when they have theirs.
    if (ctx.rank() != 0) sum.wait();
    barrier(ctx);
    if (ctx.rank() == 0) sum.wait();
    expect(values[0] == ctx.size() && values.back() == ctx.size(), "the sum");
  });
}

BOOST_DATA_TEST_CASE(persistent_collectives_that_differ_name_both_sides, test::every_job(), where) {
  if (where.ranks == 1) return;
  where.run([](context ctx) {
    std::vector<double> values(ctx.rank() == 0 ? 4 : 8);
    const std::string message =
        test::message_of<usage_error>([&] { persistent_allreduce(ctx, std::span(values)); });
    expect(test::contains(message, "an allreduce_sum of 32 bytes") &&
               test::contains(message, "an allreduce_sum of 64 bytes"),
           message);
  });
}

BOOST_DATA_TEST_CASE(persistent_collectives_called_out_of_order_are_refused, test::every_job(),
                     where) {
  where.run([](context ctx) {
    std::vector<double> values(4);
    persistent_collective sum = persistent_allreduce(ctx, std::span(values));
    const auto refused = [](const std::function<void()>& call, const std::string& advice) {
      const std::string message = test::message_of<usage_error>(call);
      expect(test::contains(message, advice), message);
    };
    refused([&] { sum.wait(); }, "start it first");
    refused([&] { sum.test(); }, "start it first");
    sum.start();
    refused([&] { sum.start(); }, "wait for it first");
    sum.wait();
    refused([&] { sum.wait(); }, "start it first");
    expect(sum.test(), "nothing under way");
    refused([&] { persistent_broadcast(ctx, {}, ctx.size()); }, "give one from 0");
    refused([&] { persistent_gather(ctx, {}, {}, ctx.size()); }, "persistent gather to rank");
    refused([&] { persistent_scatter(ctx, {}, {}, -1); }, "persistent scatter from rank -1");
    refused([&] { persistent_reduce(ctx, std::span(values), reduction::sum, ctx.size()); },
            "persistent reduce to rank");
    refused([&] { persistent_scan(ctx, std::span(values), reduction::bit_or); }, "bits");
    std::vector<std::byte> odd(static_cast<std::size_t>(ctx.size()) * 2 + 1);
    if (ctx.size() > 1) refused([&] { persistent_allgather(ctx, odd); }, "for all: give");
  });
}
