// The kernel that packs strided faces runs here on the host, and is compared with plain loops.

#include "device/gather_words.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <vector>

#include "support/exchange.hpp"

using namespace onehop;
using device::nest;
using test::dice;

namespace {

/// Returns the runs end to end, innermost loop first.
std::vector<std::byte> gathered(const std::byte* from, std::size_t run_bytes,
                                std::span<const nest> nests) {
  if (nests.empty()) return {from, from + run_bytes};
  const nest& outer = nests.back();
  std::vector<std::byte> all;
  for (std::uint64_t round = 0; round < outer.count; ++round) {
    const auto part = gathered(from + static_cast<std::int64_t>(round) * outer.stride_bytes,
                               run_bytes, nests.first(nests.size() - 1));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

struct shape {
  std::vector<nest> nests;
  std::size_t run_bytes, unit;
  std::size_t first_byte, extent;  ///< offset of the first run, and extent of all runs in memory
};

/// Returns loops around each other, strides and sizes in units of `unit` bytes, some of them
/// negative.
shape draw_shape(dice& draw, int loops, std::size_t unit) {
  shape drawn{{}, unit * (1 + draw.below(9)), unit, 0, 0};
  std::size_t inner = drawn.run_bytes;
  std::size_t below = 0;
  for (int loop = 0; loop < loops; ++loop) {
    const std::uint64_t count = 1 + draw.below(5);
    const std::size_t stride = inner + unit * draw.below(4);
    const bool backwards = draw.below(4) == 0;
    const auto step = static_cast<std::int64_t>(stride);
    drawn.nests.push_back({count, backwards ? -step : step});
    if (backwards) below += stride * (count - 1);
    inner = stride * count;
  }
  drawn.first_byte = below;
  drawn.extent = inner + below + 64;
  return drawn;
}

std::vector<std::byte> copied(const device::strided_copy& job, std::byte* to, std::size_t bytes) {
  device::with_words(job, [&](const auto& kernel) {
    for (std::uint32_t word = job.words; word-- > 0;) kernel(word);
  });
  return {to, to + bytes};
}

/// Checks all of a shape, and a piece from its middle, at an address that `unit` divides and no
/// more.
void check(dice& draw, int loops, std::size_t unit) {
  const shape drawn = draw_shape(draw, loops, unit);
  alignas(64) static std::byte memory[1 << 18], target[1 << 18];
  BOOST_REQUIRE(drawn.extent + 128 < sizeof memory);
  test::fill({memory, drawn.extent + 128}, 1, loops, static_cast<int>(unit));
  const std::byte* const from = memory + drawn.first_byte + unit;
  const auto want = gathered(from, drawn.run_bytes, drawn.nests);
  const std::size_t pieces = want.size() / unit;
  const std::size_t first = draw.below(3) == 0 ? unit * draw.below(pieces) : 0;
  const std::size_t bytes =
      first == 0 ? want.size() : unit * (1 + draw.below(pieces - first / unit));
  std::memset(target, 0x5a, bytes + 3 * unit);
  std::byte* const to = target + unit;
  const auto job = device::plan_copy(from, drawn.run_bytes, drawn.nests, first, bytes, to);
  BOOST_REQUIRE(job);
  const std::size_t power_of_two = unit & (~unit + 1);
  BOOST_TEST(job->word_bytes >= power_of_two);
  const auto found = copied(*job, to, bytes);
  BOOST_TEST(
      std::equal(found.begin(), found.end(), want.begin() + static_cast<std::ptrdiff_t>(first)));
  BOOST_TEST((target[unit - 1] == std::byte{0x5a} && to[bytes] == std::byte{0x5a}));
}

}  // namespace

BOOST_AUTO_TEST_CASE(runs_in_nested_strides_are_laid_end_to_end) {
  dice draw(7);
  for (const std::size_t unit : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    for (int loops = 0; loops <= device::strided_copy::most_nests; ++loops)
      for (int round = 0; round < 12; ++round) check(draw, loops, unit);
}

BOOST_AUTO_TEST_CASE(a_word_is_as_wide_as_all_addresses_and_sizes_allow) {
  alignas(64) static std::byte memory[256], target[256];
  const nest loop{3, 48};
  const auto word = [&](const std::byte* from, std::size_t run, std::byte* to) {
    return device::plan_copy(from, run, {&loop, 1}, 0, 3 * run, to)->word_bytes;
  };
  BOOST_TEST(word(memory, 32, target) == 16U);
  BOOST_TEST(word(memory, 24, target) == 8U);
  BOOST_TEST(word(memory + 4, 32, target) == 4U);
  BOOST_TEST(word(memory, 32, target + 2) == 2U);
  BOOST_TEST(word(memory, 31, target) == 1U);
}

BOOST_AUTO_TEST_CASE(more_words_than_threads_are_counted_are_refused) {
  const nest loop{std::uint64_t{1} << 31, 2};
  std::byte byte{};
  BOOST_TEST(!device::plan_copy(&byte, 1, {&loop, 1}, 0, 1, &byte));
}
