#include <event_stream/hit_triples.hpp>
#include <event_stream/ring_finder.hpp>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>

using namespace event_stream;

namespace {

void put(ring_group& group, std::size_t lane, const table_event& event) {
  group.hits[lane] = event.hits;
  for (std::size_t h = 0; h < event.hits; ++h) {
    group.x[h][lane] = event.at[h].x;
    group.y[h][lane] = event.at[h].y;
  }
}

bool is(const found_ring& found, const ring& truth) {
  return std::hypot(found.at.x - truth.x, found.at.y - truth.y, found.at.radius - truth.radius) <
         10 * hit_deviation;
}

/// Returns how far a point is from the circle through three others by Ptolemy's theorem, to first
/// order. The largest product of opposite distances falls short of the sum of the other two
/// products. Twice this difference, multiplied by the three distances from the point and divided by
/// the three between the other points, is the square of the result.
double distance_by_ptolemy(const std::array<double, 4>& x, const std::array<double, 4>& y) {
  const auto d = [&](int i, int j) { return std::hypot(x[i] - x[j], y[i] - y[j]); };
  const std::array<double, 3> products{d(0, 1) * d(2, 3), d(0, 2) * d(1, 3), d(0, 3) * d(1, 2)};
  const double lacks =
      products[0] + products[1] + products[2] - 2 * *std::ranges::max_element(products);
  return std::sqrt(2 * lacks * d(0, 3) * d(1, 3) * d(2, 3) / (d(0, 1) * d(1, 2) * d(2, 0)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(triples_of_few_hits_are_all_and_of_many_are_spread) {
  for (std::size_t n = 0; n < 3; ++n) BOOST_TEST(triples_of(n).count == 0);
  for (std::size_t n = 3; n <= most_hits; ++n) {
    const triples_of_hits& triples = triples_of(n);
    BOOST_TEST(triples.count % 16 == 0);
    std::set<std::set<int>> different;
    std::set<int> hits;
    for (std::size_t k = 0; k < triples.count; ++k) {
      const std::uint8_t a = triples.corners[0][k], b = triples.corners[1][k],
                         c = triples.corners[2][k];
      different.insert({a, b, c});
      hits.insert({a, b, c});
      BOOST_TEST((a < n && b < n && c < n));
    }
    BOOST_TEST(hits.size() == n);
    for (const auto& three : different) BOOST_TEST(three.size() == 3);
    const std::size_t all = n * (n - 1) * (n - 2) / 6;
    BOOST_TEST(different.size() == std::min<std::size_t>(all, 128));
  }
}

BOOST_AUTO_TEST_CASE(hits_are_near_a_circle_where_ptolemys_theorem_nearly_holds) {
  for (const double angle : {0.3, 1.5, 2.9, 4.4}) {
    for (const double off : {-300.0, -30.0, 30.0, 300.0}) {
      const double distance = 10000 + off;
      const std::array<double, 4> x{30000, 20000, 30000 + 10000 * std::cos(4), 20000},
          y{20000, 30000, 20000 + 10000 * std::sin(4), 20000};
      std::array<double, 4> px{x[0], x[1], x[2], 20000 + distance * std::cos(angle)},
          py{y[0], y[1], y[2], 20000 + distance * std::sin(angle)};
      px[2] = 20000 + 10000 * std::cos(4.0);
      BOOST_TEST(distance_by_ptolemy(px, py) == std::abs(off), boost::test_tools::tolerance(0.05));
      ring_group group;
      for (std::size_t h = 0; h < 4; ++h) {
        group.x[h][5] = static_cast<float>(px[h]);
        group.y[h][5] = static_cast<float>(py[h]);
      }
      const circle_search how{9990, 10010, 100};
      for (const ring_kernels& kernels : usable_kernels()) {
        const circle found = kernels.search(group, 5, 15, how);
        BOOST_TEST(found.near == (std::abs(off) < 100 ? 4 : 3));
        BOOST_TEST(kernels.search(group, 5, 3, how).near == 0);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(three_rings_through_each_other_are_found) {
  table_event event;
  event.rings = 3;
  event.truth = {ring{30000, 30000, 8000, 8}, ring{34000, 30000, 9000, 8},
                 ring{32000, 36000, 12000, 8}};
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t h = 0; h < 8; ++h) {
      const double angle = 0.2 + 0.4 * static_cast<double>(k) + 0.785 * static_cast<double>(h);
      const ring& on = event.truth[k];
      event.at[event.hits++] = {static_cast<std::uint16_t>(on.x + on.radius * std::cos(angle)),
                                static_cast<std::uint16_t>(on.y + on.radius * std::sin(angle))};
    }
  ring_group group;
  put(group, 3, event);
  ring_finder finder(usable_kernels().front());
  finder.find(group);
  for (std::size_t lane = 0; lane < fit_lanes; ++lane)
    BOOST_TEST(finder.rings(lane).size() == (lane == 3 ? 3 : 0));
  for (const ring& truth : event.truth)
    BOOST_TEST(std::ranges::any_of(finder.rings(3), [&](const auto& r) { return is(r, truth); }));
}

// The table has about 6100 rings, each of which is found or not. Four standard deviations of the
// share that is found are therefore below 1 %.
BOOST_AUTO_TEST_CASE(nearly_all_rings_are_found_and_nearly_no_others) {
  const event_table table(3, hit_pattern::several);
  ring_finder finder(usable_kernels().front());
  std::size_t all = 0, found = 0, others = 0;
  for (std::uint64_t first = 0; first < event_table::size; first += fit_lanes) {
    ring_group group;
    for (std::size_t lane = 0; lane < fit_lanes; ++lane) put(group, lane, table.of(first + lane));
    finder.find(group);
    for (std::size_t lane = 0; lane < fit_lanes; ++lane) {
      const table_event& event = table.of(first + lane);
      all += event.rings;
      std::size_t real = 0;
      for (std::size_t k = 0; k < event.rings; ++k)
        real += std::ranges::any_of(finder.rings(lane),
                                    [&](const auto& r) { return is(r, event.truth[k]); });
      found += real;
      others += finder.rings(lane).size() - std::min(finder.rings(lane).size(), real);
    }
  }
  BOOST_TEST(all > 1.4 * event_table::size);
  BOOST_TEST_MESSAGE(found << " of " << all << ", others " << others);
  BOOST_TEST(static_cast<double>(found) > 0.95 * static_cast<double>(all));
  BOOST_TEST(static_cast<double>(others) < 0.02 * static_cast<double>(all));
}

BOOST_AUTO_TEST_CASE(searches_of_every_instruction_set_give_the_same_bits) {
  const event_table table(7, hit_pattern::several);
  const circle_search how{5000, 15000, 400};
  for (std::uint64_t k = 0; k < 200; ++k) {
    ring_group group;
    put(group, 0, table.of(k));
    const auto of = static_cast<std::uint32_t>((std::uint64_t{1} << table.of(k).hits) - 1);
    const circle expected = usable_kernels().back().search(group, 0, of, how);
    for (const ring_kernels& kernels : usable_kernels()) {
      const circle found = kernels.search(group, 0, of, how);
      BOOST_TEST(std::memcmp(&found, &expected, sizeof found) == 0, kernels.isa);
    }
  }
}
