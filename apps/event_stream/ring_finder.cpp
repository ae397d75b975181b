#include "ring_finder.hpp"

#include "hit_triples.hpp"

#include <bit>
#include <cmath>

namespace event_stream {
namespace {

/// Fewer hits on a circle do not count as a ring, because chance occasionally puts five there.
constexpr int least_hits = 6;
constexpr circle_search through_three{least_kept_radius, most_kept_radius, 4 * hit_deviation};
/// Until the circle has been fitted, hits from farther away are accepted.
constexpr float first_reach = 6 * hit_deviation, reach = 4 * hit_deviation;

/// Returns which hits of a lane are near a circle.
std::uint32_t near(const ring_group& hits, std::size_t lane, std::uint32_t of, const ring& at,
                   float within) {
  std::uint32_t found = 0;
  for (; of != 0; of &= of - 1) {
    const auto h = static_cast<std::size_t>(std::countr_zero(of));
    const float dx = hits.x[h][lane] - at.x, dy = hits.y[h][lane] - at.y;
    if (std::abs(std::sqrt(dx * dx + dy * dy) - at.radius) < within) found |= std::uint32_t{1} << h;
  }
  return found;
}

}  // namespace

void ring_finder::take(const ring_group& from, std::size_t lane, std::uint32_t of) {
  std::size_t count = 0;
  for (; of != 0; of &= of - 1, ++count) {
    const auto h = static_cast<std::size_t>(std::countr_zero(of));
    chosen_.x[count][lane] = from.x[h][lane];
    chosen_.y[count][lane] = from.y[h][lane];
  }
  chosen_.hits[lane] = static_cast<float>(count);
}

void ring_finder::find(const ring_group& hits) {
  count_ = {};
  for (std::size_t lane = 0; lane < fit_lanes; ++lane) {
    const auto count = static_cast<unsigned>(hits.hits[lane]);
    left_[lane] = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
  }
  for (std::size_t round = 0; round < most_rings; ++round)
    if (!find_next(hits)) break;
}

/// Finds at most one ring of each event, and returns whether it found any. Events without a further
/// ring are left out of the following rounds.
bool ring_finder::find_next(const ring_group& hits) {
  per_lane<std::uint32_t> of{};
  const auto fit = [&] { kernels_.fit(chosen_, hit_deviation, fitted_); };
  for (std::size_t lane = 0; lane < fit_lanes; ++lane) {
    const int left = std::popcount(left_[lane]);
    if (left >= least_hits) {
      const circle best = kernels_.search(hits, lane, left_[lane], through_three);
      looks_ += static_cast<std::size_t>(left) * triples_of(static_cast<std::size_t>(left)).count;
      if (best.near >= least_hits)
        of[lane] = near(hits, lane, left_[lane], {best.x, best.y, best.radius}, first_reach);
    }
    take(hits, lane, of[lane]);
  }
  fit();
  for (std::size_t lane = 0; lane < fit_lanes; ++lane) {
    const ring at{fitted_.x[lane], fitted_.y[lane], fitted_.radius[lane]};
    if (of[lane] != 0) of[lane] = near(hits, lane, left_[lane], at, reach);
    take(hits, lane, of[lane]);
  }
  fit();
  bool any = false;
  for (std::size_t lane = 0; lane < fit_lanes; ++lane) {
    const int count = std::popcount(of[lane]);
    const bool kept = count >= least_hits && is_ring(fitted_, lane, static_cast<float>(count));
    left_[lane] = kept ? left_[lane] & ~of[lane] : 0;
    if (!kept) continue;
    found_[lane][count_[lane]++] = {
        {fitted_.x[lane], fitted_.y[lane], fitted_.radius[lane], static_cast<std::uint16_t>(count)},
        fitted_.x_error[lane],
        fitted_.y_error[lane],
        fitted_.radius_error[lane]};
    any = true;
  }
  return any;
}

}  // namespace event_stream
