#pragma once
/// A test of the adversary runs its usual few seeds, or those named on its command line as `--
/// FIRST` (one, to replay it) or `-- FIRST:COUNT`.

#include <boost/test/framework.hpp>
#include <boost/test/tree/test_unit.hpp>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "support/effort.hpp"

namespace test {

struct seed_range {
  std::uint64_t first, count;
};

inline std::uint64_t parse_seed(std::string_view digits) {
  std::uint64_t number = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, code] = std::from_chars(digits.data(), last, number);
  if (code != std::errc{} || end != last || digits.empty())
    throw std::invalid_argument("give seeds as FIRST or FIRST:COUNT");
  return number;
}

inline seed_range chosen_seeds(std::uint64_t usual) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  if (suite.argc < 2) return {1, share_of(usual)};
  const std::string_view words = suite.argv[suite.argc - 1];
  const auto colon = words.find(':');
  if (colon == words.npos) return {parse_seed(words), 1};
  return {parse_seed(words.substr(0, colon)), parse_seed(words.substr(colon + 1))};
}

/// Runs `body(seed)` for each seed; an exception comes back with the way to replay it.
template <class Body>
void for_each_seed(std::uint64_t usual, const Body& body) {
  const seed_range seeds = chosen_seeds(usual);
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    try {
      body(seed);
    } catch (const std::exception& thrown) {
      const auto& here = boost::unit_test::framework::current_test_case();
      throw std::runtime_error("seed " + std::to_string(seed) + " (replay: --run_test='" +
                               here.full_name() + "' -- " + std::to_string(seed) +
                               "): " + thrown.what());
    }
  }
}

}  // namespace test
