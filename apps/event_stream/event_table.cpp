#include "event_table.hpp"

#include "random_uses.hpp"

#include <onehop/error.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace event_stream {
namespace {

constexpr double plane = 65536;

std::uint16_t place_of(double coordinate) {
  return static_cast<std::uint16_t>(std::clamp(std::lround(coordinate), 0L, 65535L));
}
std::uint16_t count_between(int least, int most, double uniform) {
  return static_cast<std::uint16_t>(least + static_cast<int>(uniform * (most - least + 1)));
}

/// Draws hits around a ring, one in each of as many equal arcs, because photons fall on the whole
/// ring.
void draw_ring(onehop::site_random& numbers, table_event& made, int least, int most) {
  const auto [of_radius, of_count] = numbers.uniform_pair();
  const double radius = least_radius + (most_radius - least_radius) * of_radius;
  const auto [of_x, of_y] = numbers.uniform_pair();
  const double reach = most_radius + 10 * hit_deviation;
  const double x = reach + (plane - 2 * reach) * of_x, y = reach + (plane - 2 * reach) * of_y;
  const std::uint16_t hits = count_between(least, most, of_count);
  made.truth[made.rings++] = {static_cast<float>(x), static_cast<float>(y),
                              static_cast<float>(radius), hits};
  for (std::size_t k = 0; k < hits; ++k) {
    const double angle =
        2 * std::numbers::pi * (static_cast<double>(k) + numbers.uniform_pair()[0]) / hits;
    const double distance = radius + hit_deviation * numbers.gaussian_pair()[0];
    made.at[made.hits++] = {place_of(x + distance * std::cos(angle)),
                            place_of(y + distance * std::sin(angle))};
  }
}

void draw_noise(onehop::site_random& numbers, table_event& made, int least, int most) {
  const std::uint16_t hits = count_between(least, most, numbers.uniform_pair()[0]);
  for (std::size_t k = 0; k < hits; ++k) {
    const auto [x, y] = numbers.uniform_pair();
    made.at[made.hits++] = {place_of(plane * x), place_of(plane * y)};
  }
}

void draw_several(onehop::site_random& numbers, table_event& made) {
  const int rings = count_between(0, most_rings, numbers.uniform_pair()[0]);
  for (int ring = 0; ring < rings; ++ring) draw_ring(numbers, made, 8, 10);
  draw_noise(numbers, made, 0, 2);
}

}  // namespace

hit_pattern hit_pattern_named(std::string_view word) {
  if (word == "none") return hit_pattern::none;
  if (word == "rings") return hit_pattern::ring;
  if (word == "several") return hit_pattern::several;
  throw onehop::usage_error("hits '" + std::string(word) +
                            "' are not known; choose rings, several or none");
}

event_table::event_table(std::uint64_t seed, hit_pattern hits)
    : events_(size), several_(hits == hit_pattern::several) {
  if (hits == hit_pattern::none) return;
  for (std::size_t k = 0; k < size; ++k) {
    onehop::site_random numbers(seed, random_events, 0, k);
    if (several_)
      draw_several(numbers, events_[k]);
    else if (numbers.uniform_pair()[0] < 0.9)
      draw_ring(numbers, events_[k], 6, 12);
    else
      draw_noise(numbers, events_[k], 3, 12);
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
