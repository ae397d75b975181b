// Blocks go to ranks that only their senders know.

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "support/exchange.hpp"

using namespace onehop;
using test::dice;
using test::expect;

namespace {

using numbers = std::vector<std::uint64_t>;

/// A sparse_pattern is what each rank sends, which all can draw alike.
struct sparse_pattern {
  std::vector<std::vector<int>> destinations;  ///< destinations of each rank
  std::vector<std::vector<numbers>> lists;     ///< the list for each of them

  /// Draws up to `most_blocks` blocks of up to `longest` numbers for each rank; many have none.
  sparse_pattern(std::uint64_t seed, int ranks, std::uint64_t most_blocks, std::uint64_t longest)
      : destinations(static_cast<std::size_t>(ranks)), lists(destinations.size()) {
    dice draw(seed);
    for (std::size_t rank = 0; rank < destinations.size(); ++rank)
      for (std::uint64_t block = draw.below(most_blocks + 1); block > 0; --block) {
        destinations[rank].push_back(static_cast<int>(draw.below(destinations.size())));
        numbers& list = lists[rank].emplace_back(draw.below(draw.below(longest) + 1));
        for (std::uint64_t& one : list) one = draw.below(1U << 30);
      }
  }

  /// Returns what comes to `rank`, by origin and then in the order of sending.
  std::vector<sparse_list<std::uint64_t>> coming_to(int rank) const {
    std::vector<sparse_list<std::uint64_t>> all;
    for (std::size_t origin = 0; origin < lists.size(); ++origin)
      for (std::size_t block = 0; block < lists[origin].size(); ++block)
        if (destinations[origin][block] == rank)
          all.push_back({static_cast<int>(origin), lists[origin][block]});
    return all;
  }
};

void check(const context& ctx, const sparse_pattern& pattern) {
  const auto mine = static_cast<std::size_t>(ctx.rank());
  const std::vector<std::span<const std::uint64_t>> lists(pattern.lists[mine].begin(),
                                                          pattern.lists[mine].end());
  const auto came = sparse_exchange<std::uint64_t>(ctx, pattern.destinations[mine], lists);
  const auto wanted = pattern.coming_to(ctx.rank());
  expect(came.size() == wanted.size(), "as many blocks as were sent");
  for (std::size_t i = 0; i < came.size(); ++i) {
    expect(came[i].origin == wanted[i].origin, "origin of block " + std::to_string(i));
    expect(came[i].values == wanted[i].values, "block " + std::to_string(i));
  }
}

void check_many(const context& ctx) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    check(ctx, sparse_pattern(seed, ctx.size(), 1 + seed % 5, 60));
  // These take several pieces of a hop.
  check(ctx, sparse_pattern(100, ctx.size(), 3, 20'000));
  check(ctx, sparse_pattern(101, ctx.size(), 0, 1));
}

}  // namespace

BOOST_DATA_TEST_CASE(every_block_comes_to_its_destination_once_and_in_order, test::every_job(),
                     where) {
  where.run([](context ctx) { check_many(ctx); });
}

BOOST_DATA_TEST_CASE(rank_counts_that_are_no_power_of_two_work,
                     boost::unit_test::data::make(std::vector<int>{5, 6, 7}), ranks) {
  if (test::launched_job() != nullptr) return;
  run_on_threads(ranks, [](context ctx) { check_many(ctx); });
  run_with_adversary(ranks, 1, [](context ctx) { check_many(ctx); });
}

BOOST_DATA_TEST_CASE(a_sparse_exchange_goes_between_other_collectives, test::every_job(), where) {
  where.run([](context ctx) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      check(ctx, sparse_pattern(seed, ctx.size(), 2, 10));
      barrier(ctx);
      const auto ranks = allgather(ctx, ctx.rank());
      expect(ranks.back() == ctx.size() - 1, "an allgather in between");
    }
  });
}

BOOST_DATA_TEST_CASE(destinations_that_make_no_sense_are_refused, test::every_job(), where) {
  where.run([](context ctx) {
    const std::vector<std::byte> block(4);
    const std::vector<std::span<const std::byte>> one{block};
    const auto refused = [&](std::vector<int> destinations, const std::string& part) {
      const std::string message = test::message_of<usage_error>(
          [&] { sparse_exchange<std::byte>(ctx, destinations, one); });
      expect(test::contains(message, part), message);
    };
    refused({}, "1 block to 0 destinations");
    refused({ctx.size()}, "give one from 0 to");
    refused({-1}, "to rank -1");
    check(ctx, sparse_pattern(1, ctx.size(), 2, 10));
  });
}
