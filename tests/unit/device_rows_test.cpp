// A device's kernels find a site's coordinates without dividing, and the packs of its row where no
// other row has any.

#include "dirac/device/pack.hpp"
#include "dirac/device/site_map.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace onehop::device;

namespace {

constexpr std::int32_t largest = std::numeric_limits<std::int32_t>::max();

/// Stores a row per site that tells all reals apart, and returns whether each comes back.
template <class Stored, int Reals>
bool rows_are_apart(std::int32_t sites) {
  std::vector<Stored> memory(static_cast<std::size_t>(padded_sites(sites)) * Reals);
  const auto row_of = [](std::int32_t site, arithmetic<Stored>* row) {
    for (int k = 0; k < Reals; ++k) row[k] = static_cast<arithmetic<Stored>>(site * Reals + k);
  };
  arithmetic<Stored> row[Reals], found[Reals];
  for (std::int32_t site = 0; site < sites; ++site) {
    row_of(site, row);
    store_row<Stored, Reals>(row, memory.data(), site);
  }
  for (std::int32_t site = 0; site < sites; ++site) {
    row_of(site, row);
    load_row<Stored, Reals>(found, memory.data(), site);
    if (!std::equal(row, row + Reals, found)) return false;
  }
  return true;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_divisor_divides_all_numbers_that_it_may_be_given) {
  std::mt19937 random(7);
  std::uniform_int_distribution<std::int32_t> any(0, largest);
  std::vector<std::int32_t> numbers = {largest, largest - 1, 1 << 30, (1 << 30) + 1, 65537, 46341};
  for (std::int32_t n = 1; n <= 2000; ++n) numbers.push_back(n);
  for (int n = 0; n < 200; ++n) numbers.push_back(std::max(1, any(random)));
  for (const std::int32_t number : numbers) {
    const divisor by = divisor::of(number);
    std::vector<std::int32_t> divided = {0, 1, largest, largest - largest % number,
                                         std::max(0, largest - largest % number - 1)};
    for (int n = 0; n < 500; ++n) divided.push_back(any(random));
    for (const std::int32_t n : divided) {
      std::int32_t rest = n;
      const std::int32_t remainder = by.take_remainder(rest);
      BOOST_REQUIRE_EQUAL(rest, n / number);
      BOOST_REQUIRE_EQUAL(remainder, n % number);
    }
  }
}

BOOST_AUTO_TEST_CASE(rows_do_not_share_memory) {
  for (const std::int32_t sites : {1, 31, 32, 33, 96, 200}) {
    BOOST_TEST((rows_are_apart<double, 24>(sites)));
    BOOST_TEST((rows_are_apart<float, 24>(sites)));
    BOOST_TEST((rows_are_apart<float, 18>(sites)));
    BOOST_TEST((rows_are_apart<float, 6>(sites)));
    BOOST_TEST((rows_are_apart<std::int16_t, 24>(sites)));
    BOOST_TEST((rows_are_apart<std::int16_t, 12>(sites)));
    BOOST_TEST((rows_are_apart<std::int16_t, 8>(sites)));
  }
}
