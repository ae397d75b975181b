#include <array>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "support/exchange.hpp"
#include "support/ranks.hpp"

using namespace onehop;
using test::expect;
using test::job;

namespace {

std::vector<double> random_values(std::uint64_t seed, std::size_t count) {
  std::vector<double> values(count);
  for (double& value : values) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    value = std::ldexp(static_cast<double>(seed >> 11), static_cast<int>(seed % 80) - 90);
    if (seed >> 63) value = -value;
  }
  return values;
}

}  // namespace

BOOST_DATA_TEST_CASE(sums_in_rank_order_to_the_bit, test::every_job(), where) {
  where.run([](context ctx) {
    for (const std::size_t count : {1, 2, 7, 16, 100, 511, 512, 5000}) {
      std::vector<double> expected = random_values(count, count);
      for (int rank = 1; rank < ctx.size(); ++rank) {
        const auto theirs = random_values(count + 1000 * rank, count);
        for (std::size_t i = 0; i < count; ++i) expected[i] += theirs[i];
      }
      std::vector<double> values = random_values(count + 1000 * ctx.rank(), count);
      allreduce_sum(ctx, values);
      expect(std::memcmp(values.data(), expected.data(), count * sizeof(double)) == 0,
             std::to_string(count) + " values");
    }
  });
}

BOOST_DATA_TEST_CASE(sums_in_fast_order_between_others, test::every_job(), where) {
  where.run([](context ctx) {
    for (int turn = 1; turn <= 10; ++turn) {
      for (const std::size_t count : {0, 1, 16, 513, 3000}) {
        // The values are whole numbers, whose sum is exact in any order.
        std::vector<double> values(count);
        std::iota(values.begin(), values.end(), turn * ctx.rank());
        allreduce_sum(ctx, values, sum_order::fast);
        const int ranks = ctx.size();
        for (std::size_t i = 0; i < count; ++i)
          expect(values[i] == ranks * static_cast<double>(i) + turn * ranks * (ranks - 1) / 2,
                 std::to_string(i));
      }
      double rank[] = {1.0 * ctx.rank()};
      allreduce_sum(ctx, rank);
      expect(rank[0] == ctx.size() * (ctx.size() - 1) / 2, "fixed order in between");
    }
  });
}

BOOST_DATA_TEST_CASE(gathers_in_place, test::every_job(), where) {
  where.run([](context ctx) {
    const std::size_t count = 5000, mine = count * ctx.rank();
    std::vector<std::byte> all(count * ctx.size());
    std::fill_n(all.begin() + mine, count, static_cast<std::byte>(ctx.rank() + 1));
    allgather(ctx, std::span<const std::byte>(all).subspan(mine, count), all);
    for (std::size_t i = 0; i < all.size(); ++i)
      expect(all[i] == static_cast<std::byte>(i / count + 1), std::to_string(i));
  });
}

BOOST_DATA_TEST_CASE(maximum_keeps_what_is_not_a_number, test::every_job(), where) {
  where.run([](context ctx) {
    for (int odd = 0; odd < ctx.size(); ++odd) {
      double values[] = {-1.0 - ctx.rank(), ctx.rank() == odd ? std::nan("") : 1.0};
      allreduce_max(ctx, values);
      expect(values[0] == -1.0, "maximum");
      expect(std::isnan(values[1]), "not a number");
    }
  });
}

BOOST_DATA_TEST_CASE(gathers_in_rank_order_any_size, test::every_job(), where) {
  where.run([](context ctx) {
    for (const std::size_t count : {0, 1, 63, 4079, 4080, 4081, 20000, 65536, 300001}) {
      const std::vector<std::byte> mine(count, static_cast<std::byte>(ctx.rank() + 1));
      std::vector<std::byte> all(count * ctx.size());
      allgather(ctx, mine, all);
      for (std::size_t i = 0; i < all.size(); ++i)
        expect(all[i] == static_cast<std::byte>(i / count + 1), std::to_string(i));
    }
  });
}

BOOST_DATA_TEST_CASE(broadcasts_from_every_root, test::every_job(), where) {
  where.run([](context ctx) {
    for (int root = 0; root < ctx.size(); ++root)
      for (const int count : {3000, 100000}) {
        std::vector<int> data(count);
        if (ctx.rank() == root) std::iota(data.begin(), data.end(), 17 * root);
        broadcast(ctx, std::as_writable_bytes(std::span(data)), root);
        for (int i = 0; i < count; ++i) expect(data[i] == 17 * root + i, std::to_string(i));
      }
  });
}

BOOST_DATA_TEST_CASE(broadcasts_in_a_row_do_not_mix_with_other_collectives, test::every_job(),
                     where) {
  where.run([](context ctx) {
    std::uint64_t own = 3 + ctx.rank(), common = 11;
    const auto draw = [](std::uint64_t& state) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      return state >> 33;
    };
    for (int i = 0; i < 200; ++i) {
      if (draw(own) % 16 == 0) test::doze(ctx, std::chrono::microseconds(200));
      const int root = static_cast<int>(draw(common) % ctx.size());
      const std::size_t count = draw(common) % 5 == 0 ? 30000 : draw(common) % 40;
      std::vector<std::byte> data(count, static_cast<std::byte>(ctx.rank() == root ? i + 1 : 0));
      broadcast(ctx, data, root);
      for (const std::byte one : data) expect(one == static_cast<std::byte>(i + 1), "broadcast");
      if (draw(common) % 8 == 0)
        expect(allgather(ctx, i)[0] == i, "allgather after " + std::to_string(i));
    }
  });
}

BOOST_DATA_TEST_CASE(a_root_that_runs_ahead_overwrites_no_broadcast, test::every_job(), where) {
  where.run([](context ctx) {
    // Other ranks come late to the first of a row of broadcasts, as many as a transport may leave
    // open, some fewer or some more. Then the root has another message, which needs a place too.
    // Ranks that share cores have more room.
    constexpr std::array<std::size_t, 6> bytes{24, 300, 2000, 4000, 8192, 20000};
    constexpr std::array<int, 12> most{252, 252, 60, 30, 13, 5, 252, 252, 238, 119, 57, 18};
    for (int row = 0; row < 48; ++row) {
      const int root = (row + row / 12) % ctx.size(), size = row % 6;
      if (ctx.rank() != root) test::doze(ctx, std::chrono::microseconds(300));
      for (int i = 0; i < most[row % 12] + row / 12; ++i) {
        const auto value = static_cast<std::byte>(row + i);
        std::vector<std::byte> data(bytes[size], ctx.rank() == root ? value : std::byte{});
        broadcast(ctx, data, root);
        for (const std::byte one : data) expect(one == value, "broadcast");
      }
      expect(allgather(ctx, std::array<int, 2000>{row}).back()[0] == row, "allgather");
    }
  });
}

namespace {

/// differing_broadcasts are told, or not, in broadcasts of which some differ by rank.
class differing_broadcasts {
 public:
  explicit differing_broadcasts(const context& ctx) : ctx_(ctx), meeting_(ctx, 8, true) {}

  /// Returns what this rank is told by a broadcast of `bytes` bytes.
  std::string told_by(int root, std::size_t bytes) {
    try {
      broadcast(ctx_, std::span(data_).first(bytes), root);
    } catch (const usage_error& error) {
      return error.what();
    }
    return {};
  }
  /// Waits until all ranks have come, by no collective, which would tell them.
  void meet() {
    for (int hop = 1; hop < ctx_.size(); ++hop) {
      meeting_.chain.start();
      meeting_.chain.wait();
    }
  }
  /// Ends a row, in which this rank may not have been told of the last broadcasts.
  void end_row() {
    try {
      barrier(ctx_);
    } catch (const error&) {
      return;
    }
  }

 private:
  context ctx_;
  test::ring meeting_;
  std::array<std::byte, 16> data_{};
};

}  // namespace

// Where ranks post together, one may hear of it from another that is told.
BOOST_DATA_TEST_CASE(roots_that_differ_are_told_by_broadcasts_alone, test::every_job(), where) {
  // The adversary leaves one round open: a rank is told before it posts to the next, and is then a
  // call behind the others.
  if (where.ranks == 1 || where.how == test::job::adversary) return;
  // The broadcast whose roots differ is the first of a row, or one in it. The next ones have other
  // roots again, or the same on all ranks.
  enum { own, first, last };
  for (const int alike : {0, 3, 40, 200})
    for (const int next : {own, first, last})
      where.run([=](context ctx) {
        differing_broadcasts calls(ctx);
        for (int i = 0; i < alike; ++i) {
          const std::string told = calls.told_by(alike % ctx.size(), 8);
          expect(told.empty(), told);
        }
        const int root = next == own ? ctx.rank() : next == first ? 0 : ctx.size() - 1;
        std::string told = calls.told_by(ctx.rank(), 8);
        for (int more = 0; more < 2; ++more) {
          calls.meet();
          told += calls.told_by(root, 8);
        }
        expect(test::contains(told, "is in a broadcast of 8 bytes from rank"), told);
        calls.end_row();
      });
}

BOOST_DATA_TEST_CASE(a_root_is_told_by_its_next_broadcast_what_others_were_told_before,
                     test::every_job(), where) {
  if (where.ranks == 1) return;
  where.run([](context ctx) {
    differing_broadcasts calls(ctx);
    for (int row = 0; row < 20; ++row) {
      const int root = row % ctx.size();
      std::string told = calls.told_by(root, ctx.rank() == root ? 8 : 16);
      expect(ctx.rank() == root || !told.empty(), "a receiver");
      calls.meet();
      told += calls.told_by(root, 8);
      expect(test::contains(told, "8 bytes") && test::contains(told, "16 bytes"), told);
      calls.end_row();
    }
  });
}

BOOST_DATA_TEST_CASE(collectives_do_not_mix_under_delays, test::every_job(), where) {
  where.run([](context ctx) {
    std::uint64_t state = 77 + ctx.rank();
    for (int i = 0; i < 300; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      if ((state >> 60) == 0) test::doze(ctx, std::chrono::microseconds(200));
      const std::vector<int> all = allgather(ctx, 1000 * i + ctx.rank());
      for (int rank = 0; rank < ctx.size(); ++rank)
        expect(all[rank] == 1000 * i + rank, "round " + std::to_string(i));
      if (i % 3 == 0) barrier(ctx);
    }
  });
}

BOOST_DATA_TEST_CASE(different_collectives_are_an_error_on_all, test::every_job(), where) {
  if (where.ranks == 1) return;
  where.run([](context ctx) {
    const std::string message = test::message_of<usage_error>([&] {
      if (ctx.rank() == 1) return barrier(ctx);
      double value = 1;
      allreduce_sum(ctx, std::span(&value, 1));
    });
    expect(test::contains(message, "a barrier") && test::contains(message, "allreduce_sum of 8"),
           message);
  });
}

BOOST_DATA_TEST_CASE(a_rank_that_gives_nothing_is_an_error_on_all, test::every_job(), where) {
  if (where.ranks == 1) return;
  using bytes = std::vector<std::byte>;
  const std::vector<std::function<void(const context&, bytes&, bytes&)>> calls = {
      [](const context& ctx, bytes& mine, bytes& all) { allgather(ctx, mine, all); },
      [](const context& ctx, bytes& mine, bytes&) {
        std::vector<double> values(mine.size() / sizeof(double));
        allreduce_sum(ctx, std::span(values));
      },
      [](const context& ctx, bytes& mine, bytes&) {
        std::vector<double> values(mine.size() / sizeof(double));
        scan(ctx, std::span(values));
      }};
  for (const auto& call : calls)
    where.run([&](context ctx) {
      bytes mine(ctx.rank() == 1 ? 0 : 8), all(mine.size() * static_cast<std::size_t>(ctx.size()));
      const std::string message = test::message_of<usage_error>([&] { call(ctx, mine, all); });
      expect(test::contains(message, " of 0 bytes") && test::contains(message, " of 8 bytes"),
             message);
    });
  where.run([&](context ctx) {
    for (const auto& call : calls) {
      bytes none, all;
      call(ctx, none, all);
    }
    barrier(ctx);
  });
}

// Ranks that have been told must not write over what a slow one has not read.
BOOST_DATA_TEST_CASE(errors_follow_each_other_while_a_rank_is_late, test::every_job(), where) {
  if (where.ranks == 1) return;
  where.run([](context ctx) {
    if (ctx.rank() == ctx.size() - 1) test::doze(ctx, std::chrono::milliseconds(20));
    for (int time = 0; time < 8; ++time) {
      const std::string message = test::message_of<usage_error>([&] {
        std::vector<double> values(ctx.rank() == 0 ? 1 : 2);
        allreduce_sum(ctx, values);
      });
      expect(test::contains(message, " of 8 bytes"), message);
    }
    barrier(ctx);
  });
}

BOOST_DATA_TEST_CASE(together_gives_all_ranks_the_lowest_failing_ranks_error, test::every_job(),
                     where) {
  where.run([](context ctx) {
    together(ctx, [] {});
    const int last = ctx.size() - 1;
    const std::string message = test::message_of<checksum_error>([&] {
      together(ctx, [&] {
        if (ctx.rank() == last) throw checksum_error("bytes of rank " + std::to_string(last));
      });
    });
    expect(message == "bytes of rank " + std::to_string(last), message);
    const std::string lowest = test::message_of<file_error>([&] {
      together(ctx, [&] {
        if (ctx.rank() == 0) throw file_error(std::string(10000, 'x'));
        throw numeric_error("of a later rank");
      });
    });
    expect(lowest == std::string(10000, 'x'), "long message of rank 0");
    together(ctx, [] {});
  });
}
