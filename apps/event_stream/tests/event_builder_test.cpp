#include <event_stream/event_builder.hpp>
#include <event_stream/latency_histogram.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

using namespace event_stream;

namespace {

using bytes = std::vector<std::byte>;

bytes fragment(std::uint64_t event, std::uint16_t source, std::uint16_t hits = 2,
               std::uint64_t time_ns = 7) {
  bytes made(fragment_bytes(hits, 8));
  fragment_header header{event, time_ns, source, hits, 0};
  for (std::uint16_t h = 0; h < hits; ++h) {
    const hit one{static_cast<std::uint16_t>(event), static_cast<std::uint16_t>(10 * source + h)};
    std::memcpy(made.data() + sizeof header + h * sizeof one, &one, sizeof one);
  }
  std::memcpy(made.data(), &header, sizeof header);
  header.checksum = checksum_of(made);
  std::memcpy(made.data(), &header, sizeof header);
  return made;
}

/// Takes a fragment, and returns whether its event is complete.
const built_event* take(event_builder& builder, const bytes& one) {
  std::span<const std::byte> rest(one);
  const built_event* found = builder.take(rest);
  BOOST_TEST(rest.empty());
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_event_is_complete_with_the_last_of_its_fragments) {
  event_builder builder(3, 1, 0, 8);
  for (const std::uint16_t source : {std::uint16_t{2}, std::uint16_t{0}})
    for (std::uint64_t event = 0; event < 5000; ++event)
      BOOST_TEST(take(builder, fragment(event, source)) == nullptr);
  for (std::uint64_t event = 0; event < 5000; ++event) {
    const built_event* found = take(builder, fragment(event, 1, 3));
    BOOST_REQUIRE(found != nullptr);
    BOOST_TEST(found->event == event);
    BOOST_TEST(found->hits == 7);
    BOOST_TEST(found->at[4].x == static_cast<std::uint16_t>(event));
    BOOST_TEST(found->at[4].y == 10);
  }
  BOOST_TEST(builder.fragments() == 15000);
  BOOST_TEST(builder.faults().total() == 0);
}

BOOST_AUTO_TEST_CASE(events_whose_fragments_are_lost_are_left_out) {
  event_builder builder(2, 3, 1, 8);
  // This consumer has events 32 to 63, 128 to 159, ...
  std::vector<std::uint64_t> found;
  for (std::uint64_t turn = 0; turn < 400; ++turn)
    for (std::uint64_t event = 96 * turn + 32; event < 96 * turn + 64; ++event)
      for (const std::uint16_t source : {std::uint16_t{0}, std::uint16_t{1}})
        if (event % 7 != std::uint64_t{3} + source)
          if (const built_event* one = take(builder, fragment(event, source)))
            found.push_back(one->event);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t event = 0; event < 400 * 96; ++event)
    if (event % 96 / 32 == 1 && event % 7 != 3 && event % 7 != 4) expected.push_back(event);
  BOOST_TEST(found == expected);
  BOOST_TEST(builder.faults().total() == 0);
}

BOOST_AUTO_TEST_CASE(every_bit_that_is_wrong_is_found) {
  const bytes good = fragment(9, 0, 5);
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    event_builder builder(1, 1, 0, 8);
    bytes bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    std::span<const std::byte> rest(bad);
    BOOST_TEST(builder.take(rest) == nullptr);
    BOOST_TEST(builder.faults().damaged == 1);
  }
  event_builder builder(1, 1, 0, 8);
  bytes swapped = good;
  std::swap_ranges(swapped.begin() + 24, swapped.begin() + 32, swapped.begin() + 32);
  std::span<const std::byte> rest(swapped);
  BOOST_TEST(builder.take(rest) == nullptr);
  rest = std::span(good).first(20);
  BOOST_TEST(builder.take(rest) == nullptr);
  BOOST_TEST(rest.empty());
  BOOST_TEST(builder.faults().damaged == 2);
}

BOOST_AUTO_TEST_CASE(fragments_that_come_twice_or_late_or_disagree_are_counted) {
  event_builder builder(2, 1, 0, 8);
  take(builder, fragment(5, 0));
  take(builder, fragment(5, 0));
  take(builder, fragment(4, 0));
  BOOST_TEST(builder.faults().out_of_order == 2);
  BOOST_TEST(take(builder, fragment(5, 1, 2, 8)) != nullptr);
  BOOST_TEST(builder.faults().unlike == 1);
}

BOOST_AUTO_TEST_CASE(percentiles_are_those_of_the_sorted_times_to_one_in_a_hundred) {
  latency_histogram times;
  BOOST_TEST(times.percentile_ns(0.5) == 0);
  std::vector<std::uint64_t> all;
  for (std::uint64_t k = 1; k <= 10000; ++k) all.push_back(k * k);
  for (const std::uint64_t time : all) times.add(time);
  BOOST_TEST(times.most_ns() == all.back());
  for (const double share : {0.001, 0.5, 0.99, 0.999, 1.0}) {
    const auto expected = static_cast<double>(all[static_cast<std::size_t>(share * 10000) - 1]);
    const auto found = static_cast<double>(times.percentile_ns(share));
    BOOST_TEST(found >= expected);
    BOOST_TEST(found <= 1.01 * expected + 1);
  }
  std::uint64_t counted = 0;
  for (const auto& bucket : times.buckets()) counted += bucket.count;
  BOOST_TEST(counted == all.size());
}
