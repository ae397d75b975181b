#pragma once
/// A ring_finder finds the rings of events that may have several.

#include "event_table.hpp"
#include "ring_fit.hpp"

#include <array>
#include <span>

namespace event_stream {

/// Rings have radii between these limits.
inline constexpr float least_kept_radius = least_radius - 10 * hit_deviation;
inline constexpr float most_kept_radius = most_radius + 10 * hit_deviation;

/// Returns whether the given number of hits of a lane lie on a ring.
inline bool is_ring(const fitted_rings& found, std::size_t lane, float hits) {
  constexpr float most_chi_square_per_degree = 4;
  return hits >= 4 && found.radius[lane] > least_kept_radius &&
         found.radius[lane] < most_kept_radius &&
         found.chi_square[lane] < most_chi_square_per_degree * (hits - 3);
}

/// A found_ring is a ring with the standard deviations of its parameters.
struct found_ring {
  ring at;
  float x_error = 0, y_error = 0, radius_error = 0;
};

class ring_finder {
 public:
  explicit ring_finder(const ring_kernels& kernels) : kernels_(kernels) {}

  /// Finds the rings of all events of a group.
  void find(const ring_group& hits);
  /// Returns the rings of one event, at most `most_rings`; valid until the next `find`.
  std::span<const found_ring> rings(std::size_t lane) const noexcept {
    return {found_[lane].data(), count_[lane]};
  }
  /// Returns how many tests whether a hit is near a circle were made so far.
  std::uint64_t looks() const noexcept { return looks_; }

 private:
  /// Puts the hits of a mask into the group that will be fitted.
  void take(const ring_group& from, std::size_t lane, std::uint32_t of);
  bool find_next(const ring_group& hits);

  const ring_kernels& kernels_;
  ring_group chosen_;
  fitted_rings fitted_;
  per_lane<std::uint32_t> left_{};  ///< a bit for each hit that belongs to no ring so far
  std::array<std::array<found_ring, most_rings>, fit_lanes> found_{};
  per_lane<std::size_t> count_{};
  std::uint64_t looks_ = 0;
};

}  // namespace event_stream
