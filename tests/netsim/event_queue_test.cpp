// Both schedulers give events by time and, at the same time, in the order of pushing.
#include <boost/test/unit_test.hpp>

#include <onehop/random.hpp>
#include "netsim/engine/event_queue.hpp"

using namespace onehop::netsim;

namespace {

// Pushes as a simulation does: from the event popped last, some time ahead.
void compare(std::uint32_t seed, std::uint64_t reach, std::size_t pending, std::size_t steps) {
  event_queue ladder(queue_kind::ladder), heap(queue_kind::heap);
  picoseconds now = 0;
  std::uint32_t pushed = 0;
  const auto push = [&] {
    const auto words = onehop::philox4x32({pushed, seed, 0, 0}, {5, 6});
    // The times ahead give ties, near and far events.
    const auto ahead = words[0] % 4 == 0 ? 0 : words[1] % reach * (words[0] % 16 == 1 ? 1000 : 1);
    for (auto* each : {&ladder, &heap})
      each->push(now + static_cast<picoseconds>(ahead), event_kind::alarm, pushed);
    ++pushed;
  };
  for (std::size_t k = 0; k < pending; ++k) push();
  for (std::size_t step = 0; step < steps; ++step) {
    const auto a = ladder.pop(), b = heap.pop();
    BOOST_REQUIRE(a.time == b.time);
    BOOST_REQUIRE(a.what == b.what);
    BOOST_REQUIRE(a.time >= now);
    now = a.time;
    // The queue swells and shrinks.
    if (step % 7 != 0 || ladder.size() == 0) push();
    if (step / (steps / 4) % 2 == 0) push();
    if (step / (steps / 4) % 2 == 1 && ladder.size() > 1) {
      const auto c = ladder.pop(), d = heap.pop();
      BOOST_REQUIRE(c.what == d.what);
      now = c.time;
    }
  }
  while (ladder.size() != 0) BOOST_REQUIRE(ladder.pop().what == heap.pop().what);
  BOOST_TEST(heap.size() == 0U);
}

}  // namespace

BOOST_AUTO_TEST_CASE(schedulers_agree_at_every_density) {
  std::uint32_t seed = 0;
  for (const std::uint64_t reach : {3ULL, 1000ULL, 300'000ULL, 1'000'000'000ULL})
    for (const std::size_t pending : {1UL, 10UL, 1000UL, 20000UL})
      compare(++seed, reach, pending, 20000);
}

BOOST_AUTO_TEST_CASE(a_burst_within_one_wide_bucket_is_dealt_out_again) {
  event_queue ladder(queue_kind::ladder), heap(queue_kind::heap);
  picoseconds now = 0;
  const auto push = [&](picoseconds at, std::uint32_t index) {
    ladder.push(at, event_kind::alarm, index);
    heap.push(at, event_kind::alarm, index);
  };
  // Lone events far apart make the buckets wide.
  for (std::uint32_t k = 0; k < 3000; ++k) {
    push(now + 100'000'000'000, k);
    now = ladder.pop().time;
    heap.pop();
  }
  for (std::uint32_t k = 0; k < 50000; ++k) push(now + (k * 7919U) % 100003U, k);
  for (std::uint32_t k = 0; k < 50000; ++k) BOOST_REQUIRE(ladder.pop().what == heap.pop().what);
}

BOOST_AUTO_TEST_CASE(memory_is_counted_for_events_wherever_they_wait) {
  for (const auto how : {queue_kind::ladder, queue_kind::heap}) {
    event_queue queue(how);
    constexpr std::uint32_t count = 20000;
    // The first go into the far future, and come nearer with time.
    for (std::uint32_t k = 0; k < count; ++k)
      queue.push(k * picoseconds{1'000'000'000}, event_kind::alarm, k);
    for (std::uint32_t k = 0; k < count; ++k) {
      if (k % 100 == 0) {
        BOOST_TEST(queue.memory_bytes() >= queue.size() * sizeof(kept_event));
        BOOST_TEST(queue.memory_bytes() < 100 * count * sizeof(event));
      }
      queue.pop();
    }
  }
}
