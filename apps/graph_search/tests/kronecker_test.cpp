#include <graph_search/kronecker.hpp>

#include <onehop/error.hpp>

#include <array>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <vector>

using namespace graph_search;

namespace {

std::vector<edge> edges_of(const kronecker& generator, std::size_t count) {
  std::vector<edge> made(count);
  generator.fill(0, made);
  return made;
}

/// Returns the generator's original number of each vertex.
std::vector<vertex> plain_numbers(const kronecker& generator) {
  std::vector<vertex> plain(generator.vertices());
  for (vertex v = 0; v < plain.size(); ++v) plain[generator.scrambled(v)] = v;
  return plain;
}

double binomial(int n, int k) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
}

/// Returns the probability that an edge begins at a vertex whose number has `ones` bits of `scale`
/// set.
double beginning_at(int scale, int ones) {
  return std::pow(0.76, scale - ones) * std::pow(0.24, ones);
}

}  // namespace

BOOST_AUTO_TEST_CASE(vertices_are_numbered_anew_by_a_bijection) {
  for (const int scale : {1, 2, 5, 12}) {
    const kronecker generator(scale, 7);
    std::set<vertex> found;
    for (vertex v = 0; v < generator.vertices(); ++v) found.insert(generator.scrambled(v));
    BOOST_TEST(found.size() == generator.vertices());
    BOOST_TEST(*found.rbegin() == generator.vertices() - 1);
  }
  const kronecker large(31, 7);
  BOOST_TEST(large.scrambled(0x7fffffff) < large.vertices());
}

BOOST_AUTO_TEST_CASE(the_list_does_not_depend_on_how_it_is_cut) {
  const kronecker generator(13, 3);
  const auto whole = edges_of(generator, 1000);
  std::vector<edge> parts(1000);
  for (std::size_t begin = 0; begin < 1000; begin += 90)
    generator.fill(begin, std::span(parts).subspan(begin, std::min<std::size_t>(90, 1000 - begin)));
  BOOST_TEST((parts == whole));
  BOOST_TEST((edges_of(kronecker(13, 4), 1000) != whole));
}

BOOST_AUTO_TEST_CASE(every_bit_of_both_ends_has_its_probability) {
  constexpr int scale = 10;
  constexpr std::size_t count = 200000;
  const kronecker generator(scale, 5);
  const auto plain = plain_numbers(generator);
  std::array<std::array<double, 4>, scale> found{};
  for (const edge& e : edges_of(generator, count))
    for (unsigned bit = 0; bit < scale; ++bit)
      ++found[bit][(plain[e.from] >> bit & 1U) * 2 + (plain[e.to] >> bit & 1U)];
  constexpr std::array expected{0.57, 0.19, 0.19, 0.05};
  for (const auto& bit : found)
    for (std::size_t k = 0; k < 4; ++k)
      BOOST_TEST(std::abs(bit[k] - count * expected[k]) <
                 4 * std::sqrt(count * expected[k] * (1 - expected[k])));
}

BOOST_AUTO_TEST_CASE(degrees_are_distributed_as_the_products_of_probabilities_say) {
  constexpr int scale = 12;
  constexpr std::size_t count = 16 << scale;
  const kronecker generator(scale, 11);
  const auto plain = plain_numbers(generator);
  std::vector<double> degree(generator.vertices());
  for (const edge& e : edges_of(generator, count)) ++degree[e.from];
  std::array<double, scale + 1> by_ones{};
  std::array<double, 3> with_degree{};
  for (vertex v = 0; v < degree.size(); ++v) {
    by_ones[static_cast<std::size_t>(std::popcount(plain[v]))] += degree[v];
    if (degree[v] < 3) ++with_degree[static_cast<std::size_t>(degree[v])];
  }
  std::array<double, 3> expected{}, variance{};
  for (int ones = 0; ones <= scale; ++ones) {
    const double p = beginning_at(scale, ones), vertices = binomial(scale, ones),
                 all = vertices * p;
    BOOST_TEST(std::abs(by_ones[static_cast<std::size_t>(ones)] - count * all) <
               4 * std::sqrt(count * all * (1 - all)) + 1);
    for (int d = 0; d < 3; ++d) {
      const double q =
          std::exp(std::lgamma(count + 1) - std::lgamma(d + 1) - std::lgamma(count - d + 1) +
                   d * std::log(p) + (count - d) * std::log1p(-p));
      expected[static_cast<std::size_t>(d)] += vertices * q;
      variance[static_cast<std::size_t>(d)] += vertices * q * (1 - q);
    }
  }
  for (std::size_t d = 0; d < 3; ++d)
    BOOST_TEST(std::abs(with_degree[d] - expected[d]) < 4 * std::sqrt(variance[d]),
               "degree " << d << ": " << with_degree[d] << " vertices, expected " << expected[d]);
}

BOOST_AUTO_TEST_CASE(a_scale_that_cannot_be_is_refused) {
  BOOST_CHECK_THROW(kronecker(0, 1), onehop::usage_error);
  BOOST_CHECK_THROW(kronecker(32, 1), onehop::usage_error);
}
