#include "gauge/su2.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace onehop;

namespace {

colour_matrix gaussian_matrix(std::uint64_t site) {
  site_random numbers(3, random_use::source, 0, site);
  colour_matrix m{};
  for (auto& entry : m) {
    const auto [real, imaginary] = numbers.gaussian_pair();
    entry = {real, imaginary};
  }
  return m;
}

su2::quaternion haar(std::uint64_t site) {
  site_random numbers(4, random_use::source, 0, site);
  return *su2::draw(0.0, numbers);
}

double real_trace(const colour_matrix& m) { return m[0].real() + m[4].real() + m[8].real(); }

struct moments {
  std::array<double, 4> first{}, second{};
  double norm_error = 0;
};

moments sample(double alpha, int n) {
  moments m;
  for (int site = 0; site < n; ++site) {
    site_random numbers(9, random_use::heatbath, 1, static_cast<std::uint64_t>(site));
    const auto g = su2::draw(alpha, numbers);
    BOOST_REQUIRE(g.has_value());
    double norm = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      m.first[k] += (*g)[k] / n;
      m.second[k] += (*g)[k] * (*g)[k] / n;
      norm += (*g)[k] * (*g)[k];
    }
    m.norm_error = std::max(m.norm_error, std::abs(norm - 1));
  }
  return m;
}

/// Returns <g_0> and <g_0^2> of the density sqrt(1-g_0^2) exp(alpha g_0), whose integral is pi
/// I_1/alpha.
std::array<double, 2> exact_moments(double alpha) {
  if (alpha == 0) return {0, 0.25};
  const double i1 = std::cyl_bessel_i(1.0, alpha), i2 = std::cyl_bessel_i(2.0, alpha),
               i3 = std::cyl_bessel_i(3.0, alpha);
  return {i2 / i1, (i2 / alpha + i3) / i1};
}

}  // namespace

BOOST_AUTO_TEST_CASE(multiplying_rows_is_multiplying_by_the_embedded_matrix) {
  for (const auto s : su2::subgroups)
    for (std::uint64_t site = 0; site < 20; ++site) {
      const su2::quaternion a = haar(site);
      const colour_matrix u = gaussian_matrix(site);
      colour_matrix embedded = su3::unit(), product = u;
      su2::multiply_rows(a, s, embedded);
      su2::multiply_rows(a, s, product);
      const colour_matrix expected = su3::multiply(embedded, u);
      for (std::size_t k = 0; k < 9; ++k) BOOST_TEST(std::abs(product[k] - expected[k]) < 1e-14);
      BOOST_TEST(su3::unitarity_deviation(embedded) < 1e-14);
    }
}

BOOST_AUTO_TEST_CASE(quaternions_multiply_as_their_matrices_do) {
  const auto s = su2::subgroups[2];
  for (std::uint64_t site = 0; site < 20; ++site) {
    const su2::quaternion a = haar(site), b = haar(site + 100);
    colour_matrix one_by_one = su3::unit(), at_once = su3::unit();
    su2::multiply_rows(b, s, one_by_one);
    su2::multiply_rows(a, s, one_by_one);
    su2::multiply_rows(su2::multiply(a, b), s, at_once);
    for (std::size_t k = 0; k < 9; ++k) BOOST_TEST(std::abs(one_by_one[k] - at_once[k]) < 1e-14);
    BOOST_TEST(su2::multiply(a, su2::adjoint(a))[0] == 1.0, boost::test_tools::tolerance(1e-14));
  }
}

BOOST_AUTO_TEST_CASE(the_projection_is_all_that_a_subgroup_sees_of_the_trace) {
  for (const auto s : su2::subgroups)
    for (std::uint64_t site = 0; site < 20; ++site) {
      const su2::quaternion a = haar(site);
      const colour_matrix w = gaussian_matrix(site);
      colour_matrix aw = w;
      su2::multiply_rows(a, s, aw);
      const su2::quaternion v = su2::project(w, s);
      const double change = real_trace(aw) - real_trace(w);
      BOOST_TEST(std::abs(change - 2 * (su2::multiply(a, v)[0] - v[0])) < 1e-13);
    }
}

BOOST_AUTO_TEST_CASE(drawn_elements_have_the_moments_of_their_density) {
  constexpr int n = 200'000;
  for (const double alpha : {0.0, 0.2, 0.74, 0.76, 2.0, 8.0, 50.0}) {
    BOOST_TEST_CONTEXT("alpha " << alpha) {
      const moments m = sample(alpha, n);
      const auto [first, second] = exact_moments(alpha);
      const double spread = std::sqrt(second - first * first);
      BOOST_TEST(std::abs(m.first[0] - first) < 4 * spread / std::sqrt(n));
      // Inside [-1,1] |a^2 - b^2| <= 2 |a - b|, which bounds the spread of the squares.
      BOOST_TEST(std::abs(m.second[0] - second) < 4 * 2 * spread / std::sqrt(n));
      for (std::size_t k = 1; k < 4; ++k) {
        const double square = (1 - second) / 3;
        BOOST_TEST(std::abs(m.first[k]) < 4.5 * std::sqrt(square / n));
        BOOST_TEST(std::abs(m.second[k] - square) < 4.5 * square * std::sqrt(2.0 / n));
      }
      BOOST_TEST(m.norm_error < 1e-14);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_density_that_is_not_a_number_draws_nothing) {
  site_random numbers(1, random_use::heatbath, 0, 0);
  BOOST_TEST(!su2::draw(std::nan(""), numbers).has_value());
}
