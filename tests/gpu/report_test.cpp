// What the driver says of its cards.

#include "gpu/report.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "gpu/fake/driver.hpp"

using namespace onehop;

BOOST_AUTO_TEST_CASE(cards_are_described_by_the_driver_alone) {
  const gpu::driver_report found = gpu::inspect_driver();
  BOOST_TEST(found.problem == "");
  BOOST_TEST(found.version == "13.0");
  BOOST_REQUIRE(static_cast<int>(found.cards.size()) == fake_driver::cards);
  const gpu::card_report& card = found.cards[1];
  BOOST_TEST(card.name == "Fake 1");
  BOOST_TEST(card.bus == "0000:02:00.0");
  BOOST_TEST((card.major == 9 && card.minor == 0));
  BOOST_TEST(card.memory_bytes == std::size_t{1} << 30);
  BOOST_TEST(card.peers == std::vector<int>{0}, boost::test_tools::per_element());
  BOOST_TEST((card.words.write_and_wait && card.words.flush));
}

BOOST_AUTO_TEST_CASE(cards_without_stream_memory_operations_are_told) {
  setenv("FAKE_DRIVER_NO_WORDS", "1", 1);
  const gpu::driver_report found = gpu::inspect_driver();
  unsetenv("FAKE_DRIVER_NO_WORDS");
  for (const gpu::card_report& card : found.cards)
    BOOST_TEST((!card.words.write_and_wait && !card.words.flush));
}
