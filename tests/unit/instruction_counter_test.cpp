#include "machine/instruction_counter.hpp"

#include <boost/test/unit_test.hpp>
#include <onehop/error.hpp>
#include <string>

BOOST_AUTO_TEST_CASE(instructions_are_counted_or_refused_in_one_line) {
  constexpr int steps = 100'000;
  try {
    onehop::instruction_counter counter;
    const std::int64_t before = counter.count();
    [[maybe_unused]] volatile int last = 0;
    for (int step = 0; step < steps; ++step) last = step;
    const std::int64_t after = counter.count();
    // Containers may offer a counter and take it back.
    counter.require_counting();
    BOOST_TEST(after - before >= steps);
  } catch (const onehop::resource_error& refused) {
    const std::string said = refused.what();
    BOOST_TEST(said.starts_with("instructions cannot be counted on this machine: "), said);
    BOOST_TEST(said.find('\n') == std::string::npos, said);
    BOOST_TEST_MESSAGE(said);
  }
}
