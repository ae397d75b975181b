#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <onehop/error.hpp>
#include <thread>

#include "measure/pinning.hpp"
#include "measure/rotation.hpp"
#include "measure/stopwatch.hpp"
#include "measure/surroundings.hpp"

using namespace onehop::measure;

BOOST_AUTO_TEST_CASE(stopwatch_takes_off_what_the_clock_costs) {
  stopwatch watch;
  BOOST_TEST(watch.overhead().count() < 50);
  watch.start();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  BOOST_TEST(watch.elapsed().count() >= 2000 - watch.overhead().count());
}

BOOST_AUTO_TEST_CASE(recorder_keeps_what_fits) {
  sample_recorder recorder(2);
  recorder.add(1);
  BOOST_TEST(!recorder.full());
  recorder.add(2);
  recorder.add(3);
  BOOST_TEST(recorder.full());
  BOOST_TEST(recorder.values().size() == 2U);
  BOOST_TEST(recorder.values()[1] == 2);
}

BOOST_AUTO_TEST_CASE(rotation_exceeds_the_total_and_keeps_buffers_apart) {
  rotation buffers(100, 1000);
  BOOST_TEST(buffers.count() == 8U);  // 100 bytes take two lines
  for (std::size_t i = 0; i < buffers.count(); ++i) {
    BOOST_TEST(buffers[i].size() == 100U);
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(buffers[i].data()) % 64 == 0U);
    if (i > 0) BOOST_TEST(buffers[i].data() - buffers[i - 1].data() >= 128);
  }
  BOOST_TEST(rotation::copies(100, 0, 64) == 1U);
  BOOST_TEST(rotation::copies(1, std::size_t{1} << 40, 64) == 64U);
}

BOOST_AUTO_TEST_CASE(pinned_thread_has_one_core_until_released) {
  const std::vector<int> before = allowed_cores();
  BOOST_REQUIRE(!before.empty());
  pin_to_core(before.back());
  BOOST_TEST(allowed_cores() == std::vector{before.back()});
  allow_cores(before);
  BOOST_TEST(allowed_cores() == before);
  BOOST_CHECK_THROW(allow_cores({}), onehop::resource_error);
}

BOOST_AUTO_TEST_CASE(quiet_surroundings_have_no_warnings_and_each_pain_has_one) {
  const surroundings quiet{2, 2, true, true, false, 0.1, "performance"};
  BOOST_TEST(warnings(quiet).empty());
  const auto one_more = [&](auto&& spoil) {
    surroundings where = quiet;
    spoil(where);
    return warnings(where).size();
  };
  BOOST_TEST(one_more([](surroundings& where) { where.ranks = 3; }) == 1U);
  BOOST_TEST(one_more([](surroundings& where) { where.pinned = false; }) == 1U);
  BOOST_TEST(one_more([](surroundings& where) { where.load = 1.5; }) == 1U);
  BOOST_TEST(one_more([](surroundings& where) { where.governor = "powersave"; }) == 1U);
  BOOST_TEST(one_more([](surroundings& where) { where.governor.clear(); }) == 0U);
  BOOST_TEST(one_more([](surroundings& where) { where.optimized = false; }) == 1U);
  BOOST_TEST(one_more([](surroundings& where) { where.sanitized = true; }) == 1U);
}
