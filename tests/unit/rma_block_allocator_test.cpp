#include <boost/test/unit_test.hpp>
#include <map>

#include "support/exchange.hpp"
#include "transport/stores/region.hpp"

using onehop::stores::block_allocator;

BOOST_AUTO_TEST_CASE(blocks_never_overlap_and_gaps_grow_together_again) {
  constexpr std::size_t page = 4096, begin = 10 * page, end = 300 * page;
  block_allocator allocator(begin, end);
  std::map<std::size_t, std::size_t> held;
  test::dice draw(3);
  for (int turn = 0; turn < 5000; ++turn) {
    if (draw.below(2) == 0 && !held.empty()) {
      const auto one = std::next(held.begin(), static_cast<long>(draw.below(held.size())));
      allocator.free(one->first, one->second);
      held.erase(one);
      continue;
    }
    const std::size_t bytes = page * (1 + draw.below(20));
    const auto offset = allocator.allocate(bytes);
    if (!offset) {
      BOOST_REQUIRE(allocator.largest_gap() < bytes);
      continue;
    }
    BOOST_REQUIRE(*offset >= begin);
    BOOST_REQUIRE(*offset + bytes <= end);
    const auto after = held.lower_bound(*offset);
    BOOST_REQUIRE((after == held.end() || *offset + bytes <= after->first));
    BOOST_REQUIRE(
        (after == held.begin() || std::prev(after)->first + std::prev(after)->second <= *offset));
    held.emplace(*offset, bytes);
  }
  for (const auto& [offset, bytes] : held) allocator.free(offset, bytes);
  BOOST_TEST(allocator.largest_gap() == end - begin);
}

BOOST_AUTO_TEST_CASE(the_same_calls_give_the_same_offsets) {
  block_allocator one(0, 1 << 20), other(0, 1 << 20);
  for (const std::size_t bytes : {4096, 8192, 0, 4096})
    BOOST_TEST((one.allocate(bytes) == other.allocate(bytes)));
  one.free(4096, 8192);
  other.free(4096, 8192);
  BOOST_TEST((one.allocate(4096) == other.allocate(4096)));
}

BOOST_AUTO_TEST_CASE(nothing_fits_an_empty_range) {
  block_allocator none(8192, 4096);
  BOOST_TEST(!none.allocate(4096).has_value());
}
