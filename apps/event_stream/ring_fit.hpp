#pragma once
/// Rings are fitted to hits, several events side by side in the lanes of vectors.

#include "event.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace event_stream {

/// The number of events that are fitted together is this.
inline constexpr std::size_t fit_lanes = 16;

template <class Number>
using per_lane = std::array<Number, fit_lanes>;

/// A ring_group has the hits of some events: hit h of lane l is at [h][l].
struct ring_group {
  alignas(64) std::array<per_lane<float>, most_hits> x{}, y{};
  alignas(64) per_lane<float> hits{};  ///< numbers of hits; fewer than three are not fitted
};

/// A fitted_rings has, for each lane, centre and radius, their standard deviations, and chi^2 with
/// hits - 3 degrees of freedom. The radius is 0 in lanes that are not fitted or whose hits lie on a
/// line.
struct fitted_rings {
  alignas(64) per_lane<float> x, y, radius, x_error, y_error, radius_error, chi_square;
};

/// A circle goes through three hits, and `near` hits are near it.
struct circle {
  float x = 0, y = 0, radius = 0;
  int near = 0;
};

/// A circle_search says which circles count, and within which distance a hit is near.
struct circle_search {
  float least_radius, most_radius, reach;
};

struct ring_kernels {
  std::string_view isa;
  /// Fits the circles with the least squared distance to hits that scatter around them with
  /// `deviation`.
  void (*fit)(const ring_group& hits, float deviation, fitted_rings& found);
  /// Considers the hits of a lane whose bits are set and returns the circle, through a triple of
  /// them, that most of them are near; `near` is 0 if no circle counts.
  circle (*search)(const ring_group& hits, std::size_t lane, std::uint32_t of,
                   const circle_search& how);
};

/// Returns the kernels that this program was built with and this processor has, the widest first.
const std::vector<ring_kernels>& usable_kernels();

}  // namespace event_stream
