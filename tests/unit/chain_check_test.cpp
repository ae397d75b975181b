#include <boost/test/unit_test.hpp>
#include <onehop/error.hpp>
#include <optional>
#include <set>
#include <utility>

#include "rma/chain_check.hpp"
#include "rma/chain_planning.hpp"
#include "rma/chain_refusal.hpp"
#include "support/exchange.hpp"

using namespace onehop;

namespace {

constexpr int ranks = 6;

/// Makes a chain of puts that mostly fit, with a few things wrong or none.
chain_description make_chain(std::uint64_t seed) {
  test::dice next(seed);
  chain_description chain{{}, {ranks, 1000}, 2, {ranks, 0}, false};
  for (int rank = 0; rank < ranks; ++rank) chain.ranks[rank] = {};
  std::vector<std::uint64_t> used(ranks);
  const auto peer = [&] { return static_cast<int>(next.below(ranks)); };
  const auto push = [&](int origin, int target, std::uint64_t offset) {
    chain_entry put{chain_entry::kind::put, target, 8, offset, 0, 0, 0, 0, 0, {}, 0};
    chain.ranks[origin].push_back(put);
  };
  const auto expect_from = [&](int origin, int target) {
    chain.ranks[target].push_back({chain_entry::kind::origin, origin, 0, 0, 0, 0, 0, 0, 0, {}, 0});
  };
  for (std::uint64_t put = next.below(12); put > 0; --put) {
    const int origin = peer(), target = peer();
    push(origin, target, 8 * used[static_cast<std::size_t>(target)]++);
    expect_from(origin, target);
  }
  for (std::uint64_t wrong = next.below(4); wrong > 0; --wrong) {
    const int origin = peer(), target = peer();
    const std::uint64_t what = next.below(4);
    const bool overlaps = what == 3;
    if (what != 1) push(origin, target, overlaps ? next.below(40) : what == 2 ? 996 : 500);
    if (what != 0) expect_from(origin, target);
  }
  return chain;
}

/// Returns what a rank knows that has read the lists of its partners only.
chain_description seen_from(const chain_description& whole, int rank) {
  chain_description part = whole;
  part.seen_by = rank;
  std::set<int> known{rank};
  for (const chain_entry& entry : whole.ranks.at(rank)) known.insert(static_cast<int>(entry.peer));
  for (int other = 0; other < ranks; ++other)
    if (!known.contains(other)) part.ranks.erase(other);
  return part;
}

std::optional<std::pair<std::uint32_t, std::string>> refusal_of(const chain_description& chain) {
  try {
    check_chain(chain);
  } catch (const chain_refusal& refused) {
    return std::pair(refused.order, refused.what());
  }
  return std::nullopt;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_partners_see_is_refused_as_if_everyone_saw_all) {
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const chain_description whole = make_chain(seed);
    std::optional<std::pair<std::uint32_t, std::string>> first;
    for (int rank = 0; rank < ranks; ++rank)
      if (const auto one = refusal_of(seen_from(whole, rank)))
        if (!first || one->first < first->first) first = one;
    const auto expected = refusal_of(whole);
    BOOST_REQUIRE(first.has_value() == expected.has_value());
    if (!expected) continue;
    ++refused;
    BOOST_REQUIRE_MESSAGE(first->second == expected->second, "seed " << seed << ": "
                                                                     << first->second << "\n  not "
                                                                     << expected->second);
  }
  BOOST_TEST(refused > 1000);
  BOOST_TEST(refused < 3500);
}

BOOST_AUTO_TEST_CASE(the_plan_from_partners_is_the_plan_from_everyone) {
  int planned = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const chain_description whole = make_chain(seed);
    if (refusal_of(whole)) continue;
    ++planned;
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<local_view> sources;
      for (const chain_entry& entry : whole.ranks.at(rank))
        if (entry.what == chain_entry::kind::put) sources.push_back({nullptr, 8, 1, 0});
      const chain_plan all = plan_chain(whole, rank, sources);
      const chain_plan part = plan_chain(seen_from(whole, rank), rank, sources);
      BOOST_REQUIRE(all.puts.size() == part.puts.size());
      BOOST_REQUIRE(all.arrivals.size() == part.arrivals.size());
      for (std::size_t put = 0; put < all.puts.size(); ++put) {
        BOOST_REQUIRE(all.puts[put].target == part.puts[put].target);
        BOOST_REQUIRE(all.puts[put].arrival == part.puts[put].arrival);
        BOOST_REQUIRE(all.puts[put].needs_credit == part.puts[put].needs_credit);
      }
      for (std::size_t arrival = 0; arrival < all.arrivals.size(); ++arrival) {
        BOOST_REQUIRE(all.arrivals[arrival].origin == part.arrivals[arrival].origin);
        BOOST_REQUIRE(all.arrivals[arrival].put == part.arrivals[arrival].put);
        BOOST_REQUIRE(all.arrivals[arrival].gives_credit == part.arrivals[arrival].gives_credit);
      }
    }
  }
  BOOST_TEST(planned > 100);
}

namespace {

/// Two puts of 500 bytes from rank 0 into the 1000 bytes of rank 1, the second at `offset`.
chain_description two_puts(std::uint64_t offset) {
  chain_description chain{{}, {2, 1000}, 2, {2, 0}, false};
  for (const std::uint64_t at : {std::uint64_t{0}, offset}) {
    chain.ranks[0].push_back({chain_entry::kind::put, 1, 500, at, 0, 0, 0, 0, 0, {}, 0});
    chain.ranks[1].push_back({chain_entry::kind::origin, 0, 0, 0, 0, 0, 0, 0, 0, {}, 0});
  }
  return chain;
}

bool needs_credit(const chain_description& chain) {
  return plan_chain(chain, 0, {{nullptr, 500, 1, 0}, {nullptr, 500, 1, 0}}).puts[0].needs_credit;
}

}  // namespace

BOOST_AUTO_TEST_CASE(puts_meet_arrivals_in_order_and_fill_a_window_to_its_last_byte) {
  chain_description chain = two_puts(500);
  check_chain(chain);
  const std::vector<chain_edge> pairs = pair_up(chain);
  BOOST_TEST(pairs.at(0).arrival == 0);
  BOOST_TEST(pairs.at(1).arrival == 1);
  BOOST_TEST(needs_credit(chain));
  chain.ranks[1].push_back({chain_entry::kind::put, 0, 8, 0, 0, 0, 0, 0, 0, {}, 0});
  chain.ranks[0].push_back({chain_entry::kind::origin, 1, 0, 0, 0, 0, 0, 0, 0, {}, 0});
  BOOST_TEST(!needs_credit(chain));
}

BOOST_AUTO_TEST_CASE(puts_that_share_a_byte_or_leave_the_window_are_refused) {
  BOOST_CHECK_THROW(check_chain(two_puts(499)), chain_refusal);
  BOOST_CHECK_THROW(check_chain(two_puts(501)), chain_refusal);
}
