// What a machine keeps in a form of its own must say the same as the plain one.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <utility>
#include <vector>

#include <onehop/random.hpp>
#include "netsim/machine/credit_table.hpp"
#include "netsim/machine/group_wiring.hpp"
#include "netsim/machine/growing_array.hpp"

using namespace onehop::netsim;

namespace {

constexpr std::uint32_t channels = 5, credits = 7;

// A plain_list has the same credits as a list of times.
struct plain_list {
  std::vector<picoseconds> back = std::vector<picoseconds>(std::size_t{channels} * credits, 0);

  [[nodiscard]] auto of(std::uint32_t channel) const {
    return back.begin() + static_cast<std::ptrdiff_t>(channel * credits);
  }
  [[nodiscard]] std::uint32_t back_by(std::uint32_t channel, picoseconds by) const {
    const auto found =
        std::find_if(of(channel), of(channel) + credits, [by](auto at) { return at <= by; });
    return found == of(channel) + credits ? credit_table::none
                                          : static_cast<std::uint32_t>(found - of(channel));
  }
  [[nodiscard]] std::int64_t out(std::uint32_t channel, picoseconds now) const {
    return std::count_if(of(channel), of(channel) + credits, [now](auto at) { return at > now; });
  }
};

// Takes and gives credits at random times, up to `reach` ahead, while time goes on by up to `step`.
void compare(std::uint32_t seed, picoseconds reach, picoseconds step) {
  credit_table table;
  table.resize(std::size_t{channels} * credits);
  plain_list plain;
  picoseconds now = 0;
  for (std::uint32_t k = 0; k < 20000; ++k) {
    const auto words = onehop::philox4x32({k, seed, 0, 0}, {7, 8});
    now += words[0] % 3 == 0 ? static_cast<picoseconds>(words[1]) % step : 0;
    const auto channel = words[2] % channels;
    const channel_credits of{std::size_t{channel} * credits, credits};
    const auto ahead =
        static_cast<picoseconds>((static_cast<std::uint64_t>(words[1]) << 20U ^ words[3]) %
                                 static_cast<std::uint64_t>(reach));
    const auto slot = plain.back_by(channel, now + ahead);
    BOOST_REQUIRE(table.back_by(of, now + ahead) == slot);
    BOOST_REQUIRE(table.out(of, now) == plain.out(channel, now));
    const auto first = *std::min_element(plain.of(channel), plain.of(channel) + credits);
    const auto found = table.earliest(of);
    BOOST_REQUIRE((first > now ? found.at == first : found.at <= now));
    BOOST_REQUIRE((found.at == never || plain.back[of.first + found.slot] <= std::max(first, now)));
    if (words[0] % 2 == 0 && slot != credit_table::none) {
      table.take(of.first + slot);
      plain.back[of.first + slot] = never;
    } else if (const auto index = of.first + words[3] % credits; plain.back[index] == never) {
      table.give(index, now + ahead, now);
      plain.back[index] = now + ahead;
    }
  }
  const auto taken = std::count(plain.back.begin(), plain.back.end(), never);
  BOOST_TEST(table.taken() == static_cast<std::uint64_t>(taken));
}

}  // namespace

BOOST_AUTO_TEST_CASE(credits_are_back_when_a_list_of_times_says_so) {
  constexpr picoseconds microsecond = 1'000'000, second = 1'000'000'000'000;
  // Times that stay near, those that have to be counted anew, and those that four bytes cannot
  // hold.
  compare(1, microsecond, microsecond);
  compare(2, 1000 * microsecond, 1000 * microsecond);
  compare(3, 4200 * microsecond, 100 * microsecond);
  compare(4, second, microsecond);
}

BOOST_AUTO_TEST_CASE(credits_take_eight_bytes_only_when_one_is_back_very_late) {
  credit_table table;
  table.resize(1000);
  BOOST_TEST(table.memory_bytes() == 4000U);
  for (const std::size_t index : {4, 5, 6}) table.take(index);
  table.give(6, 4'000'000'000, 0);
  // Late in a run four bytes hold what is soon back.
  table.give(4, 7'000'000'000, 3'000'000'000);
  BOOST_TEST(table.memory_bytes() == 4000U);
  table.give(5, 8'000'000'000, 3'000'000'000);
  BOOST_TEST(table.memory_bytes() == 8000U);
  BOOST_TEST(table.earliest({6, 1}).at == 4'000'000'000);
  BOOST_TEST(table.earliest({4, 1}).at == 7'000'000'000);
  BOOST_TEST(table.earliest({5, 1}).at == 8'000'000'000);
}

BOOST_AUTO_TEST_CASE(a_divisor_divides_as_the_processor_does) {
  for (const std::uint32_t by :
       {1U, 2U, 3U, 7U, 16U, 127U, 641U, 65535U, 65536U, 2147483647U, 2147483648U, 4294967295U}) {
    const divisor fast(by);
    for (std::uint32_t k = 0; k < 1000; ++k) {
      const auto drawn = onehop::philox4x32({k, by, 0, 0}, {9, 10})[0];
      // Multiples and their neighbours are where an inverse that is not exact fails.
      for (const auto number : {drawn, drawn / by * by, drawn / by * by - 1, k, UINT32_MAX - k}) {
        BOOST_REQUIRE(fast.quotient(number) == number / by);
        BOOST_REQUIRE(fast.remainder(number) == number % by);
      }
    }
  }
}

// The array grows from a few bytes to more than a large page, whose contents move.
BOOST_AUTO_TEST_CASE(an_array_keeps_its_things_while_it_grows) {
  struct thing {
    std::uint64_t number = 7;
    std::uint32_t more[5] = {};
  };
  growing_array<thing> all;
  constexpr std::size_t count = 3 * large_pages::page / sizeof(thing);
  for (std::size_t k = 0; k < count; ++k) {
    BOOST_REQUIRE(all.add() == k);
    BOOST_REQUIRE(all[k].number == 7U);
    all[k].number = k * k;
    all[k].more[4] = static_cast<std::uint32_t>(k);
  }
  BOOST_TEST(all.memory_bytes() == count * sizeof(thing));
  auto moved = std::move(all);
  for (std::size_t k = 0; k < count; ++k)
    BOOST_REQUIRE((moved[k].number == k * k && moved[k].more[4] == static_cast<std::uint32_t>(k)));
  moved = {};
  BOOST_TEST(moved.size() == 0U);
  BOOST_TEST(moved.add(thing{5}) == 0U);
  BOOST_TEST(moved[0].number == 5U);
}
