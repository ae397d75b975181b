// Reductions of every kind and type are tested, and blocks of any size between any ranks.

#include <algorithm>
#include <array>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <utility>
#include <vector>

#include "support/ranks.hpp"

using namespace onehop;
using test::expect;

namespace {

/// The lengths are below and above what one round takes, and above what one exchange of blocks
/// does.
const std::vector<std::size_t> lengths{1, 7, 60, 512, 5000, 70000};

std::uint64_t mixed(std::uint64_t seed) {
  seed = (seed ^ seed >> 31) * 0x9e3779b97f4a7c15ULL;
  return seed ^ seed >> 29;
}

template <class T>
T value_of(int rank, std::size_t i) {
  const std::uint64_t bits = mixed(1000003 * static_cast<std::uint64_t>(rank + 1) + i);
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(bits);
  else
    return static_cast<T>(
        std::ldexp(static_cast<double>(bits >> 12), static_cast<int>(bits % 9) - 50));
}

template <class T>
std::vector<T> values_of(int rank, std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value_of<T>(rank, i);
  return values;
}

/// Combines in rank order, with the arithmetic of one value at a time.
template <class T>
std::vector<T> combined(int ranks, std::size_t count, reduction kind) {
  std::vector<T> all = values_of<T>(0, count);
  for (int rank = 1; rank < ranks; ++rank)
    for (std::size_t i = 0; i < count; ++i) {
      const T left = all[i], right = value_of<T>(rank, i);
      if (kind == reduction::min) all[i] = std::min(left, right);
      if (kind == reduction::max) all[i] = std::max(left, right);
      if constexpr (std::is_integral_v<T>) {
        using bits = std::make_unsigned_t<T>;
        if (kind == reduction::sum)
          all[i] = static_cast<T>(static_cast<bits>(left) + static_cast<bits>(right));
        if (kind == reduction::bit_and) all[i] = left & right;
        if (kind == reduction::bit_or) all[i] = left | right;
        if (kind == reduction::bit_xor) all[i] = left ^ right;
      } else if (kind == reduction::sum) {
        all[i] = left + right;
      }
    }
  return all;
}

/// The totals of each kind are as long as the longest of the lengths. Shorter ones are the
/// beginning of them, since a value depends on its rank and place alone; so a job makes them once
/// for all its ranks, lengths and seeds.
template <class T>
class totals {
 public:
  explicit totals(int ranks) {
    for (const reduction kind : kinds) {
      if (!std::is_integral_v<T> && kind >= reduction::bit_and) continue;
      of_.emplace_back(kind, combined<T>(ranks, lengths.back(), kind));
    }
  }
  void expect_all(const context& ctx) const {
    for (const std::size_t count : lengths)
      for (const auto& [kind, total] : of_) {
        std::vector<T> values = values_of<T>(ctx.rank(), count);
        allreduce(ctx, std::span(values), kind);
        expect(std::equal(values.begin(), values.end(), total.begin()),
               "kind " + std::to_string(static_cast<int>(kind)) + " of " + std::to_string(count));
      }
  }

 private:
  static constexpr std::array kinds{reduction::sum,     reduction::min,    reduction::max,
                                    reduction::bit_and, reduction::bit_or, reduction::bit_xor};
  std::vector<std::pair<reduction, std::vector<T>>> of_;
};

void expect_every_type(const test::job& where) {
  const totals<std::int32_t> words(where.ranks);
  const totals<std::uint64_t> naturals(where.ranks);
  const totals<std::int64_t> integers(where.ranks);
  const totals<float> singles(where.ranks);
  const totals<double> doubles(where.ranks);
  where.run([&](const context& ctx) {
    words.expect_all(ctx);
    naturals.expect_all(ctx);
    integers.expect_all(ctx);
    singles.expect_all(ctx);
    doubles.expect_all(ctx);
  });
}

/// An affine map is a matrix of two rows, whose product depends on the order.
struct affine {
  std::uint32_t scale, shift;
  bool operator==(const affine&) const = default;
};
constexpr auto after = [](affine a, affine b) {
  return affine{a.scale * b.scale, a.shift * b.scale + b.shift};
};
affine affine_of(int rank, std::size_t i) {
  return {static_cast<std::uint32_t>(2 * i + 3) + static_cast<std::uint32_t>(rank),
          static_cast<std::uint32_t>(7 * rank + 1)};
}

}  // namespace

BOOST_DATA_TEST_CASE(combines_every_type_in_every_way, test::every_job(), where) {
  expect_every_type(where);
}

BOOST_DATA_TEST_CASE(combines_what_does_not_commute_in_rank_order, test::every_job(), where) {
  where.run([](context ctx) {
    for (const std::size_t count : lengths) {
      std::vector<affine> values(count), total(count), before(count);
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = total[i] = affine_of(0, i);
        for (int rank = 1; rank < ctx.size(); ++rank) {
          if (rank == ctx.rank()) before[i] = total[i];
          total[i] = after(total[i], affine_of(rank, i));
        }
        values[i] = affine_of(ctx.rank(), i);
      }
      const combiner combine = combiner_of<affine>(after);
      std::vector<affine> sum = values, scanned = values, excluded = values;
      allreduce(ctx, std::as_writable_bytes(std::span(sum)), combine);
      expect(sum == total, "allreduce of " + std::to_string(count));
      scan(ctx, std::as_writable_bytes(std::span(scanned)), combine);
      exclusive_scan(ctx, std::as_writable_bytes(std::span(excluded)), combine);
      expect(excluded == (ctx.rank() == 0 ? values : before), "exclusive scan");
      for (std::size_t i = 0; i < count; ++i)
        expect(scanned[i] == (ctx.rank() == 0 ? values[i] : after(before[i], values[i])), "scan");
      const int root = static_cast<int>(count) % ctx.size();
      reduce(ctx, std::as_writable_bytes(std::span(values)), combine, root);
      if (ctx.rank() == root) expect(values == total, "reduce");
    }
  });
}

BOOST_DATA_TEST_CASE(minimum_and_maximum_keep_what_is_not_a_number, test::every_job(), where) {
  where.run([](context ctx) {
    for (const std::size_t count : {1, 9000})
      for (const reduction kind : {reduction::min, reduction::max}) {
        std::vector<float> values(count, 1.0F);
        if (ctx.rank() == ctx.size() - 1) values.back() = std::numeric_limits<float>::quiet_NaN();
        allreduce(ctx, std::span(values), kind);
        expect(std::isnan(values.back()), "not a number");
        if (count > 1) expect(values.front() == 1.0F, "a number");
      }
  });
}

BOOST_DATA_TEST_CASE(scatters_what_it_reduces, test::every_job(), where) {
  const auto ranks = static_cast<std::size_t>(where.ranks);
  const auto total = combined<double>(where.ranks, lengths.back() * ranks, reduction::sum);
  where.run([&](context ctx) {
    for (const std::size_t count : lengths) {
      const std::size_t all = count * ranks;
      const auto values = values_of<double>(ctx.rank(), all);
      std::vector<double> mine(count);
      reduce_scatter(ctx, std::span(values), std::span(mine));
      for (std::size_t i = 0; i < count; ++i)
        expect(mine[i] == total[count * static_cast<std::size_t>(ctx.rank()) + i], "block");
    }
  });
}

BOOST_DATA_TEST_CASE(gathers_to_and_scatters_from_every_root, test::every_job(), where) {
  where.run([](context ctx) {
    const auto ranks = static_cast<std::size_t>(ctx.size());
    for (int root = 0; root < ctx.size(); ++root)
      for (const std::size_t count : {0, 1, 3000, 40000}) {
        const auto mine = values_of<std::uint64_t>(ctx.rank(), count);
        const bool is_root = ctx.rank() == root;
        std::vector<std::uint64_t> all(is_root ? count * ranks : 0), back(count);
        gather(ctx, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)), root);
        for (std::size_t i = 0; i < all.size(); ++i)
          expect(all[i] == value_of<std::uint64_t>(static_cast<int>(i / count), i % count), "all");
        scatter(ctx, std::as_bytes(std::span(all)), std::as_writable_bytes(std::span(back)), root);
        expect(back == mine, "there and back");
      }
  });
}

BOOST_DATA_TEST_CASE(blocks_of_any_size_go_between_any_ranks, test::every_job(), where) {
  where.run([](context ctx) {
    const auto ranks = static_cast<std::size_t>(ctx.size());
    for (std::uint64_t turn = 0; turn < 12; ++turn) {
      // A length is mostly zero, and now and then very large.
      const auto length = [&](int from, int to) -> std::size_t {
        const std::uint64_t drawn =
            mixed(turn * 10007 + static_cast<std::uint64_t>(64 * from + to));
        return drawn % 3 == 0 ? 0 : drawn % (drawn % 7 == 0 ? 150000 : 300);
      };
      std::vector<std::vector<std::uint32_t>> lists;
      for (int to = 0; to < ctx.size(); ++to)
        lists.push_back(values_of<std::uint32_t>(100 * ctx.rank() + to, length(ctx.rank(), to)));
      const std::vector<std::span<const std::uint32_t>> send(lists.begin(), lists.end());
      const auto received = alltoallv<std::uint32_t>(ctx, send);
      for (int from = 0; from < ctx.size(); ++from)
        expect(received[static_cast<std::size_t>(from)] ==
                   values_of<std::uint32_t>(100 * from + ctx.rank(), length(from, ctx.rank())),
               "turn " + std::to_string(turn) + " from " + std::to_string(from));
      const int root = static_cast<int>(turn) % ctx.size();
      const auto at_root = gatherv<std::uint32_t>(ctx, lists[0], root);
      expect(at_root.size() == (ctx.rank() == root ? ranks : 0), "lists at the root alone");
      for (std::size_t from = 0; from < at_root.size(); ++from)
        expect(at_root[from] == values_of<std::uint32_t>(100 * static_cast<int>(from),
                                                         length(static_cast<int>(from), 0)),
               "gathered at the root");
      const auto mine = scatterv<std::uint32_t>(
          ctx, ctx.rank() == root ? send : std::vector<std::span<const std::uint32_t>>(), root);
      expect(mine == values_of<std::uint32_t>(100 * root + ctx.rank(), length(root, ctx.rank())),
             "scattered");
      const auto all = allgatherv<std::uint32_t>(ctx, lists[0]);
      for (int from = 0; from < ctx.size(); ++from)
        expect(all[static_cast<std::size_t>(from)] ==
                   values_of<std::uint32_t>(100 * from, length(from, 0)),
               "gathered");
    }
  });
}

BOOST_DATA_TEST_CASE(a_refused_place_leaves_nobody_waiting, test::every_job(), where) {
  for (const std::size_t bytes : {100, 200000})
    where.run([bytes](context ctx) {
      const std::vector<std::byte> block(bytes, std::byte{7});
      const std::vector<std::span<const std::byte>> send(static_cast<std::size_t>(ctx.size()),
                                                         block);
      std::vector<std::byte> place(block.size() * static_cast<std::size_t>(ctx.size()));
      const auto run = [&](std::size_t room) {
        alltoallv(ctx, send, [&](int origin, std::size_t) {
          return std::span(place).subspan(static_cast<std::size_t>(origin) * block.size(), room);
        });
      };
      const bool mistaken = ctx.rank() == ctx.size() - 1;
      if (mistaken) {
        const std::string message = test::message_of<usage_error>([&] { run(10); });
        expect(test::contains(message, "has room for 10 bytes from rank "), message);
      } else {
        run(block.size());
      }
      barrier(ctx);
      run(block.size());
      expect(place.back() == std::byte{7}, "the next one works");
    });
}

BOOST_DATA_TEST_CASE(a_root_without_room_or_blocks_is_told_so, test::every_job(), where) {
  where.run([](context ctx) {
    const int root = ctx.size() - 1;
    const std::vector<std::byte> block(100, std::byte{3});
    std::vector<std::byte> place(10);
    const auto gather_all = [&] {
      gatherv(
          ctx, block, [&](int, std::size_t) { return std::span(place); }, root);
    };
    // The others have sent what the root had no room for, and go on.
    if (ctx.rank() == root)
      expect(test::contains(test::message_of<usage_error>(gather_all),
                            "a gatherv has room for 10 bytes from rank "),
             "room");
    else
      gather_all();
    const std::vector<std::span<const std::byte>> too_many(static_cast<std::size_t>(ctx.size()) + 1,
                                                           block);
    if (ctx.rank() == root)
      expect(test::contains(
                 test::message_of<usage_error>([&] { scatterv(ctx, too_many, nullptr, root); }),
                 "a scatterv of " + std::to_string(ctx.size() + 1) + " blocks among "),
             "blocks");
    barrier(ctx);
  });
}
