#include "dirac/clover_term.hpp"

#include <onehop/random.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "support/difference.hpp"

using namespace onehop;

namespace {

using complex = std::complex<double>;

chiral_block random_block(std::uint64_t seed, bool hermitian) {
  chiral_block block;
  site_random random(seed, random_use::source, 0, 0);
  for (auto& entry : block) {
    const auto [re, im] = random.gaussian_pair();
    entry = complex(re, im);
  }
  if (!hermitian) return block;
  chiral_block sum;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) sum[6 * i + j] = block[6 * i + j] + std::conj(block[6 * j + i]);
  return sum;
}

/// Expands along the first row of what is left, with the columns `free`.
complex determinant(const chiral_block& block, int row = 0, unsigned free = 63) {
  if (row == 6) return 1.0;
  complex sum = 0;
  double sign = 1;
  for (int column = 0; column < 6; ++column) {
    if ((free & (1U << column)) == 0) continue;
    sum += sign * block[6 * row + column] * determinant(block, row + 1, free & ~(1U << column));
    sign = -sign;
  }
  return sum;
}

double distance_from_one(const chiral_block& a, const chiral_block& b) {
  double largest = 0;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      complex entry = i == j ? -1.0 : 0.0;
      for (int k = 0; k < 6; ++k) entry += a[6 * i + k] * b[6 * k + j];
      largest = tests::larger(largest, std::abs(entry));
    }
  return largest;
}

}  // namespace

BOOST_AUTO_TEST_CASE(inverse_has_the_inverse_determinant_and_undoes_the_block) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const bool hermitian : {false, true}) {
      const chiral_block block = random_block(seed, hermitian);
      const auto found = inverse(block);
      BOOST_REQUIRE(found.has_value());
      BOOST_TEST(std::abs(determinant(block) * determinant(*found) - 1.0) < 1e-9);
      BOOST_TEST(distance_from_one(block, *found) < 1e-10);
      BOOST_TEST(distance_from_one(*found, block) < 1e-10);
    }
  }
}

BOOST_AUTO_TEST_CASE(rows_that_need_exchanging_are_exchanged) {
  chiral_block permutation{};
  for (int i = 0; i < 6; ++i) permutation[6 * i + (i + 2) % 6] = complex(0, 2);
  const auto found = inverse(permutation);
  BOOST_REQUIRE(found.has_value());
  BOOST_TEST(distance_from_one(permutation, *found) == 0.0);
}

BOOST_AUTO_TEST_CASE(blocks_without_an_inverse_have_none) {
  BOOST_TEST(!inverse(chiral_block{}).has_value());
  chiral_block dependent = random_block(3, true);
  for (int k = 0; k < 6; ++k) dependent[6 * 4 + k] = 2.0 * dependent[k] - dependent[6 + k];
  BOOST_TEST(!inverse(dependent).has_value());
  chiral_block broken = random_block(3, true);
  broken[8] = std::nan("");
  BOOST_TEST(!inverse(broken).has_value());
}
