#include <event_stream/event_table.hpp>
#include <event_stream/ring_fit.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

using namespace event_stream;

namespace {

ring_group group_of(const event_table& table, std::uint64_t first) {
  ring_group group;
  for (std::size_t lane = 0; lane < fit_lanes; ++lane) {
    const table_event& event = table.of(first + lane);
    group.hits[lane] = event.hits;
    for (std::size_t h = 0; h < event.hits; ++h) {
      group.x[h][lane] = event.at[h].x;
      group.y[h][lane] = event.at[h].y;
    }
  }
  return group;
}

struct moments {
  double sum = 0, square = 0;
  std::size_t count = 0;
  void add(double value) {
    sum += value;
    square += value * value;
    ++count;
  }
  double mean() const { return sum / static_cast<double>(count); }
  double width() const { return std::sqrt(square / static_cast<double>(count) - mean() * mean()); }
};

/// Returns the sum of the squared distances of an event's hits from a circle.
double distance_square(const table_event& event, double x, double y, double radius) {
  double sum = 0;
  for (std::size_t h = 0; h < event.hits; ++h) {
    const double d = std::hypot(event.at[h].x - x, event.at[h].y - y) - radius;
    sum += d * d;
  }
  return sum;
}

}  // namespace

BOOST_AUTO_TEST_CASE(hits_on_a_circle_give_the_circle) {
  ring_group group;
  for (std::size_t lane = 0; lane < fit_lanes; ++lane) {
    const double radius = 5000 + 500 * static_cast<double>(lane),
                 begin = 0.1 * static_cast<double>(lane);
    group.hits[lane] = static_cast<float>(3 + lane % 10);
    for (std::size_t h = 0; h < 3 + lane % 10; ++h) {
      const double angle = begin + 0.5 * static_cast<double>(h);
      group.x[h][lane] = static_cast<float>(30000 + radius * std::cos(angle));
      group.y[h][lane] = static_cast<float>(20000 + radius * std::sin(angle));
    }
  }
  for (const ring_kernels& kernels : usable_kernels()) {
    fitted_rings found;
    kernels.fit(group, hit_deviation, found);
    for (std::size_t lane = 0; lane < fit_lanes; ++lane) {
      BOOST_TEST(std::abs(found.x[lane] - 30000) < 0.2);
      BOOST_TEST(std::abs(found.y[lane] - 20000) < 0.2);
      BOOST_TEST(std::abs(found.radius[lane] - (5000 + 500 * static_cast<float>(lane))) < 0.2);
    }
  }
}

// Radii and centres are drawn once for all tests, so that the limits are four standard deviations
// for this number of rings.
BOOST_AUTO_TEST_CASE(centre_and_radius_are_unbiased_and_pulls_have_width_one) {
  const event_table table(3, hit_pattern::ring);
  std::array<moments, 4> found_moments;
  for (std::uint64_t first = 0; first < event_table::size; first += fit_lanes) {
    fitted_rings found;
    usable_kernels().front().fit(group_of(table, first), hit_deviation, found);
    for (std::size_t lane = 0; lane < fit_lanes; ++lane) {
      const table_event& event = table.of(first + lane);
      if (event.rings == 0) continue;
      found_moments[0].add((found.x[lane] - event.truth[0].x) / found.x_error[lane]);
      found_moments[1].add((found.y[lane] - event.truth[0].y) / found.y_error[lane]);
      found_moments[2].add((found.radius[lane] - event.truth[0].radius) / found.radius_error[lane]);
      found_moments[3].add(found.chi_square[lane] / (event.hits - 3.0));
    }
  }
  const auto rings = static_cast<double>(found_moments[0].count);
  BOOST_TEST(rings > 0.88 * event_table::size);
  for (std::size_t k = 0; k < 3; ++k) {
    BOOST_TEST(std::abs(found_moments[k].mean()) < 4 / std::sqrt(rings));
    BOOST_TEST(std::abs(found_moments[k].width() - 1) < 4 / std::sqrt(2 * rings));
  }
  // chi^2 per degree of freedom has a variance of at most 2 / 3 with 3 to 9 degrees of freedom.
  BOOST_TEST(std::abs(found_moments[3].mean() - 1) < 4 * std::sqrt(2 / (3 * rings)));
}

BOOST_AUTO_TEST_CASE(no_circle_nearby_is_nearer_to_the_hits) {
  const event_table table(5, hit_pattern::ring);
  for (std::uint64_t first = 0; first < 20 * fit_lanes; first += fit_lanes) {
    fitted_rings found;
    usable_kernels().front().fit(group_of(table, first), hit_deviation, found);
    for (std::size_t lane = 0; lane < fit_lanes; ++lane) {
      const table_event& event = table.of(first + lane);
      if (event.rings == 0) continue;
      const double x = found.x[lane], y = found.y[lane], r = found.radius[lane];
      const double best = distance_square(event, x, y, r);
      for (const double by : {-20.0, 20.0}) {
        BOOST_TEST(distance_square(event, x + by, y, r) > best);
        BOOST_TEST(distance_square(event, x, y + by, r) > best);
        BOOST_TEST(distance_square(event, x, y, r + by) > best);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(kernels_of_every_instruction_set_give_the_same_bits) {
  const event_table table(7, hit_pattern::ring);
  for (std::uint64_t first = 0; first < 10 * fit_lanes; first += fit_lanes) {
    const ring_group group = group_of(table, first);
    fitted_rings expected;
    usable_kernels().back().fit(group, hit_deviation, expected);
    for (const ring_kernels& kernels : usable_kernels()) {
      fitted_rings found;
      kernels.fit(group, hit_deviation, found);
      BOOST_TEST(std::memcmp(&found, &expected, sizeof found) == 0, kernels.isa);
    }
  }
}

BOOST_AUTO_TEST_CASE(hits_on_a_line_and_too_few_fit_nothing) {
  ring_group group;
  for (std::size_t lane = 0; lane < fit_lanes; ++lane) {
    group.hits[lane] = static_cast<float>(lane % 8);
    for (std::size_t h = 0; h < lane % 8; ++h)
      group.x[h][lane] = group.y[h][lane] = static_cast<float>(1000 * h);
  }
  fitted_rings found;
  usable_kernels().front().fit(group, hit_deviation, found);
  for (const float radius : found.radius) BOOST_TEST(radius == 0);
}
