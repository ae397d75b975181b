// Shapes of blocks have words, and the fastest is chosen, by a clock that is told what to say.

#include "device/block_shapes.hpp"

#include <onehop/error.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "benchmarks/device_rate.hpp"
#include "lattice/field_precision.hpp"

using namespace onehop;
using device::block_shapes;
using device::kernel_kind;

namespace {

/// A fake_clock gives seconds of each shape; the n-th time that a shape is timed it says the n-th
/// number.
struct fake_clock {
  std::map<int, std::vector<double>> says;
  std::vector<int> asked;

  double operator()(int threads) {
    const auto times = static_cast<std::size_t>(std::ranges::count(asked, threads));
    asked.push_back(threads);
    return says.at(threads).at(times);
  }
};

int chosen(fake_clock& clock, int rounds) {
  const auto times = bench::time_blocks(block_shapes::choices, rounds, std::ref(clock));
  return bench::fastest_block(times, block_shapes::standard);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_kernel_has_a_name_and_a_place_of_its_own) {
  std::set<std::string> names;
  for (std::size_t place = 0; place < block_shapes::kernels; ++place) {
    names.insert(block_shapes::name(place));
  }
  BOOST_TEST(names.size() == block_shapes::kernels);
  BOOST_TEST(block_shapes::name(block_shapes::place(kernel_kind::factored, field_precision::half,
                                                    8)) == "factored/half/8");
  BOOST_TEST(block_shapes::name(block_shapes::place(kernel_kind::vectors, field_precision::double_,
                                                    12)) == "vectors");
}

BOOST_AUTO_TEST_CASE(words_say_what_is_not_standard) {
  BOOST_TEST(block_shapes().words().empty());
  const std::string words = "wilson/single/12=64,far/half/18=256,vectors=32";
  const block_shapes shapes = block_shapes::parse(words);
  BOOST_TEST(shapes.words() == words);
  BOOST_TEST(
      shapes.threads(block_shapes::place(kernel_kind::wilson, field_precision::single, 12)) == 64);
  BOOST_TEST(shapes.threads(block_shapes::place(kernel_kind::wilson, field_precision::double_,
                                                12)) == block_shapes::standard);
  BOOST_TEST(block_shapes::parse("vectors=128").words().empty());
}

BOOST_AUTO_TEST_CASE(other_words_are_refused) {
  for (const char* words : {"wilson/single/12", "wilson/single/12=100", "wilson/single/13=64",
                            "=64", "vectors=", "vectors=64x", "vectors=64,,vectors=32"}) {
    BOOST_CHECK_THROW(block_shapes::parse(words), usage_error);
  }
}

BOOST_AUTO_TEST_CASE(the_fastest_shape_is_taken_where_it_is_faster) {
  fake_clock clock{{{32, {4, 4, 4}}, {64, {2, 2, 2}}, {128, {3, 3, 3}}, {256, {3, 3, 3}}}, {}};
  BOOST_TEST(chosen(clock, 3) == 64);
  // Shapes are timed in turns, so that slow changes affect all alike.
  const std::vector<int> turn(block_shapes::choices.begin(), block_shapes::choices.end());
  BOOST_TEST(std::vector<int>(clock.asked.begin(), clock.asked.begin() + 4) == turn);
  BOOST_TEST(clock.asked.size() == 12U);
}

BOOST_AUTO_TEST_CASE(one_wild_time_changes_nothing) {
  fake_clock clock{{{32, {4, 0.1, 4}}, {64, {2, 90, 2}}, {128, {3, 3, 3}}, {256, {3, 3, 3}}}, {}};
  BOOST_TEST(chosen(clock, 3) == 64);
}

BOOST_AUTO_TEST_CASE(the_standard_stays_where_nothing_is_much_faster) {
  fake_clock clock{{{32, {0.98}}, {64, {0.99}}, {128, {1}}, {256, {0.975}}}, {}};
  BOOST_TEST(chosen(clock, 1) == block_shapes::standard);
}
