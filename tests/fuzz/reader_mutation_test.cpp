#include <boost/test/unit_test.hpp>

#include "fuzz/mutator.hpp"
#include "fuzz/read_everything.hpp"
#include "fuzz/seeds.hpp"

BOOST_AUTO_TEST_CASE(seeds_are_accepted) {
  const samples::memory_file file;
  for (const auto& seed : fuzz::seeds()) BOOST_TEST(fuzz::read_everything(file, seed));
}

BOOST_AUTO_TEST_CASE(mutated_files_are_read_or_refused_and_nothing_else) {
  const samples::memory_file file;
  const auto seeds = fuzz::seeds();
  fuzz::mutator mutate(20);
  std::size_t accepted = 0, refused = 0;
  for (int round = 0; round < 1000; ++round) {
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      const auto bytes =
          mutate(seeds[s], seeds[(s + static_cast<std::size_t>(round)) % seeds.size()]);
      ++(fuzz::read_everything(file, bytes) ? accepted : refused);
    }
  }
  BOOST_TEST(accepted > 0U);
  BOOST_TEST(refused > accepted);
}
