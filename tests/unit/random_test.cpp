#include <onehop/random.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>

using namespace onehop;

namespace {
using words = std::array<std::uint32_t, 4>;

bool differ(site_random a, site_random b) { return a.uniform_pair() != b.uniform_pair(); }
}  // namespace

// These are the known answers published with the paper's reference implementation.
BOOST_AUTO_TEST_CASE(philox_gives_the_published_answers) {
  BOOST_TEST(
      (philox4x32({0, 0, 0, 0}, {0, 0}) == words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  BOOST_TEST((philox4x32({ones, ones, ones, ones}, {ones, ones}) ==
              words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  BOOST_TEST(
      (philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
       words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

BOOST_AUTO_TEST_CASE(numbers_depend_on_seed_use_stream_site_and_draw) {
  const std::uint64_t far = std::uint64_t{1} << 40;
  const site_random base(1, random_use::heatbath, 2, 3);
  BOOST_TEST(!differ(base, site_random(1, random_use::heatbath, 2, 3)));
  BOOST_TEST(differ(base, site_random(2, random_use::heatbath, 2, 3)));
  BOOST_TEST(differ(base, site_random(1 + far, random_use::heatbath, 2, 3)));
  BOOST_TEST(differ(base, site_random(1, random_use::source, 2, 3)));
  BOOST_TEST(differ(base, site_random(1, random_use::heatbath, 3, 3)));
  BOOST_TEST(differ(base, site_random(1, random_use::heatbath, 2 + far, 3)));
  BOOST_TEST(differ(base, site_random(1, random_use::heatbath, 2, 4)));
  BOOST_TEST(differ(base, site_random(1, random_use::heatbath, 2, 3 + far)));
  std::set<double> seen;
  site_random numbers(1, random_use::heatbath, 2, 3);
  for (int draw = 0; draw < 65536; ++draw) seen.insert(numbers.uniform_pair()[0]);
  BOOST_TEST(seen.size() == 65536u);
}

BOOST_AUTO_TEST_CASE(a_programs_own_uses_share_no_numbers_with_any_other) {
  std::set<std::array<double, 2>> seen;
  int uses = 0;
  for (const auto own :
       {random_use::hot_start, random_use::heatbath, random_use::source, random_use::noise_wall}) {
    seen.insert(site_random(1, own, 2, 3).uniform_pair());
    ++uses;
  }
  for (int number = 0; number < 128; ++number, ++uses)
    seen.insert(site_random(1, user_random(number), 2, 3).uniform_pair());
  BOOST_TEST(seen.size() == static_cast<std::size_t>(uses));
}

// The generator is constexpr and in the header, so that programs' loops over sites can be
// vectorised.
static_assert(philox4x32({0, 0, 0, 0}, {0, 0})[0] == 0x6627e8d5);
static_assert(site_random(1, user_random(0), 2, 3).uniform_pair()[0] < 1);

BOOST_AUTO_TEST_CASE(uniform_numbers_fill_the_open_unit_interval_evenly) {
  constexpr int n = 200'000;
  std::array<int, 20> bins{};
  double product = 0;
  for (std::uint64_t site = 0; site < n; ++site) {
    const auto [u, v] = site_random(7, random_use::source, 0, site).uniform_pair();
    BOOST_REQUIRE(u > 0);
    BOOST_REQUIRE(u < 1);
    ++bins[static_cast<std::size_t>(u * 20)];
    product += (u - 0.5) * (v - 0.5);
  }
  double chi2 = 0;
  for (const int count : bins) chi2 += std::pow(count - n / 20.0, 2) / (n / 20.0);
  BOOST_TEST(chi2 < 43.8);  // one in a thousand for 19 degrees of freedom
  BOOST_TEST(std::abs(product / n) < 4.0 / 12.0 / std::sqrt(n));
}

BOOST_AUTO_TEST_CASE(gaussians_have_the_moments_of_the_normal_distribution) {
  constexpr int n = 200'000;
  double mean = 0, variance = 0, fourth = 0, cross = 0;
  for (std::uint64_t site = 0; site < n; ++site) {
    const auto [a, b] = site_random(11, random_use::source, 5, site).gaussian_pair();
    mean += (a + b) / (2.0 * n);
    variance += (a * a + b * b) / (2.0 * n);
    fourth += (a * a * a * a + b * b * b * b) / (2.0 * n);
    cross += a * b / n;
  }
  const double sigma = 1.0 / std::sqrt(2.0 * n);
  BOOST_TEST(std::abs(mean) < 4 * sigma);
  BOOST_TEST(std::abs(variance - 1) < 4 * sigma * std::sqrt(2.0));
  BOOST_TEST(std::abs(fourth - 3) < 4 * sigma * std::sqrt(96.0));
  BOOST_TEST(std::abs(cross) < 4 * sigma * std::sqrt(2.0));
}
