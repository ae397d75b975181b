#include "event_table.hpp"

#include "random_uses.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace event_stream {
namespace {

constexpr double plane = 65536;

std::uint16_t place_of(double coordinate) {
  return static_cast<std::uint16_t>(std::clamp(std::lround(coordinate), 0L, 65535L));
}
std::uint16_t count_between(int least, int most, double uniform) {
  return static_cast<std::uint16_t>(least + static_cast<int>(uniform * (most - least + 1)));
}

/// Draws hits around a ring: one in each of as many equal arcs, since photons fall on all of it.
void draw_ring(onehop::site_random& numbers, table_event& made) {
  const auto [of_radius, of_count] = numbers.uniform_pair();
  const double radius = least_radius + (most_radius - least_radius) * of_radius;
  const auto [of_x, of_y] = numbers.uniform_pair();
  const double reach = most_radius + 10 * hit_deviation;
  const double x = reach + (plane - 2 * reach) * of_x, y = reach + (plane - 2 * reach) * of_y;
  made.truth = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(radius)};
  made.has_ring = true;
  made.hits = count_between(6, 12, of_count);
  for (std::size_t k = 0; k < made.hits; ++k) {
    const double angle =
        2 * std::numbers::pi * (static_cast<double>(k) + numbers.uniform_pair()[0]) / made.hits;
    const double distance = radius + hit_deviation * numbers.gaussian_pair()[0];
    made.at[k] = {place_of(x + distance * std::cos(angle)),
                  place_of(y + distance * std::sin(angle))};
  }
}

void draw_noise(onehop::site_random& numbers, table_event& made) {
  made.hits = count_between(3, 12, numbers.uniform_pair()[0]);
  for (std::size_t k = 0; k < made.hits; ++k) {
    const auto [x, y] = numbers.uniform_pair();
    made.at[k] = {place_of(plane * x), place_of(plane * y)};
  }
}

}  // namespace

event_table::event_table(std::uint64_t seed, bool rings) : events_(size) {
  if (!rings) return;
  for (std::size_t k = 0; k < size; ++k) {
    onehop::site_random numbers(seed, random_events, 0, k);
    if (numbers.uniform_pair()[0] < 0.9)
      draw_ring(numbers, events_[k]);
    else
      draw_noise(numbers, events_[k]);
  }
}

seen_hits hits_of_source(const table_event& event, int source, int sources) {
  seen_hits seen;
  for (auto k = static_cast<std::size_t>(source); k < event.hits;
       k += static_cast<std::size_t>(sources))
    seen.at[seen.hits++] = event.at[k];
  return seen;
}

}  // namespace event_stream
