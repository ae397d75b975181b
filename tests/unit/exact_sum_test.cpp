#include <onehop/exact_sum.hpp>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

using namespace onehop;

namespace {

std::vector<double> wild_numbers(std::size_t count) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-300, 300);
  std::vector<double> values(count);
  for (double& v : values) v = std::ldexp(mantissa(engine), exponent(engine));
  return values;
}

double sum_of(const std::vector<double>& values) {
  exact_sum sum;
  sum.add(values);
  return sum.local_total();
}

}  // namespace

BOOST_AUTO_TEST_CASE(sum_does_not_depend_on_order) {
  auto values = wild_numbers(5000);
  const double expected = sum_of(values);
  std::mt19937_64 engine(9);
  for (int k = 0; k < 10; ++k) {
    std::shuffle(values.begin(), values.end(), engine);
    BOOST_TEST(sum_of(values) == expected);
  }
}

BOOST_AUTO_TEST_CASE(sum_is_exact) {
  BOOST_TEST(sum_of({1e300, 1.0, -1e300}) == 1.0);
  BOOST_TEST(sum_of({0x1p-1074, 1.0, -1.0}) == 0x1p-1074);
  BOOST_TEST(sum_of({0x1p53, 1.0, 1.0}) == 0x1p53 + 2);
  BOOST_TEST(sum_of({-3.5, 1.25}) == -2.25);
  BOOST_TEST(
      sum_of({std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min()}) ==
      std::numeric_limits<double>::max());
  BOOST_TEST(sum_of({}) == 0.0);
}

// Chunks are added in a way of their own, which is compared with the sum of single terms, for terms
// alike in size and for terms that differ by ever more.
BOOST_AUTO_TEST_CASE(many_terms_at_once_are_the_same_as_one_by_one) {
  std::mt19937_64 engine(4);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  for (const int range : {0, 1, 20, 45, 48, 51, 80, 200, 350, 500}) {
    for (const int above : {-1060, -972, -960, -840, 0, 990, 1002}) {
      for (const std::size_t count : {1, 15, 16, 17, 1023, 1024, 1025, 3000}) {
        std::uniform_int_distribution<int> exponent(std::max(-1074, above - range), above);
        std::vector<double> terms(count);
        for (double& term : terms) term = std::ldexp(mantissa(engine), exponent(engine));
        exact_sum one_by_one, at_once;
        for (const double term : terms) one_by_one.add(term);
        at_once.add(terms);
        BOOST_TEST_CONTEXT(count << " terms below 2^" << above << " over " << range << " bits")
        BOOST_REQUIRE(at_once.local_total() == one_by_one.local_total());
        // The sums are made equal up to a term that is as small as possible.
        at_once.add(-one_by_one.local_total());
        one_by_one.add(-one_by_one.local_total());
        BOOST_REQUIRE(at_once.local_total() == one_by_one.local_total());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_term_among_zeros_is_the_sum_wherever_it_is) {
  std::vector<double> terms(1100);
  BOOST_TEST(sum_of(terms) == 0.0);
  for (std::size_t place = 0; place < terms.size(); place += 7) {
    terms[place] = -0x1.23456789abcdep-30;
    BOOST_REQUIRE(sum_of(terms) == terms[place]);
    terms[place] = 0;
  }
}

BOOST_AUTO_TEST_CASE(single_terms_come_back) {
  for (const double value : wild_numbers(2000)) BOOST_REQUIRE(sum_of({value}) == value);
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_stays_so) {
  BOOST_TEST(std::isnan(sum_of({1.0, std::numeric_limits<double>::infinity()})));
  BOOST_TEST(std::isnan(sum_of({std::numeric_limits<double>::quiet_NaN(), 1.0})));
  for (const double other : {0.0, 1.0}) {
    for (const std::size_t place : {0, 700, 1090}) {
      for (const double bad :
           {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
        std::vector<double> terms(1100, other);
        terms[place] = bad;
        BOOST_REQUIRE(std::isnan(sum_of(terms)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(total_over_ranks_is_the_sum_of_all_terms) {
  const auto values = wild_numbers(4000);
  const double expected = sum_of(values);
  for (const int ranks : {1, 2, 3, 4}) {
    std::vector<double> results(ranks);
    run_on_threads(ranks, [&](context ctx) {
      exact_sum sum;
      for (std::size_t k = ctx.rank(); k < values.size(); k += ranks) sum.add(values[k]);
      results[ctx.rank()] = sum.total(ctx);
    });
    for (const double result : results) BOOST_TEST(result == expected);
  }
}

// Sums of wild numbers do not fit the packed form, those of tame ones do; a rank without terms
// sends zero.
BOOST_AUTO_TEST_CASE(started_totals_are_those_of_all_ranks_and_leave_room_for_other_work) {
  const auto wild = wild_numbers(1000);
  std::vector<double> tame(1000);
  for (std::size_t k = 0; k < tame.size(); ++k) tame[k] = std::sin(static_cast<double>(k)) - 0.7;
  const std::vector<double> expected = {sum_of(wild), sum_of(tame), sum_of({-2.5})};
  run_on_threads(3, [&](context ctx) {
    for (const bool with_wild : {true, false}) {
      std::vector<exact_sum> sums(3);
      for (std::size_t k = ctx.rank(); k < wild.size(); k += 3) {
        if (with_wild) sums[0].add(wild[k]);
        sums[1].add(tame[k]);
      }
      if (ctx.rank() == 1) sums[2].add(-2.5);
      started_totals started(ctx, sums);
      std::vector<double> results(3);
      started.finish(results);
      if (!with_wild) results[0] += expected[0];
      if (results != expected) throw std::runtime_error("a total is not the sum of its terms");
    }
  });
  BOOST_TEST(true);
}

BOOST_AUTO_TEST_CASE(one_rank_that_is_not_finite_spoils_the_total_on_all) {
  run_on_threads(2, [](context ctx) {
    exact_sum sum;
    sum.add(ctx.rank() == 1 ? std::numeric_limits<double>::infinity() : 1.0);
    if (!std::isnan(sum.total(ctx))) throw std::runtime_error("an infinity was lost");
  });
  BOOST_TEST(true);
}
