#include "ring_trigger.hpp"

#include <algorithm>

namespace event_stream {
namespace {

constexpr float most_chi_square_per_degree = 4;
constexpr float least_kept_radius = least_radius - 10 * hit_deviation;
constexpr float most_kept_radius = most_radius + 10 * hit_deviation;

bool is_ring(const fitted_rings& found, std::size_t lane, float hits) {
  return hits >= 4 && found.radius[lane] > least_kept_radius &&
         found.radius[lane] < most_kept_radius &&
         found.chi_square[lane] < most_chi_square_per_degree * (hits - 3);
}

}  // namespace

ring_trigger::ring_trigger(const event_table& table, std::size_t batch)
    : table_(table),
      kernels_(usable_kernels().front()),
      batch_(batch),
      groups_((batch + fit_lanes - 1) / fit_lanes) {
  decisions_.reserve(batch);
  truths_.reserve(batch);
}

void ring_trigger::add(const built_event& event) {
  const std::size_t number = decisions_.size(), lane = number % fit_lanes;
  ring_group& group = groups_[number / fit_lanes];
  for (std::size_t h = 0; h < event.hits; ++h) {
    group.x[h][lane] = event.at[h].x;
    group.y[h][lane] = event.at[h].y;
  }
  group.hits[lane] = event.hits;
  hits_ += event.hits;
  decision& made = decisions_.emplace_back();
  made.event = event.event & decision::most_event;
  made.time_ns = event.time_ns;
  truths_.push_back(&table_.of(event.event));
}

std::span<const decision> ring_trigger::decide() {
  for (std::size_t first = 0; first < decisions_.size(); first += fit_lanes)
    decide_group(first / fit_lanes);
  account_.events += decisions_.size();
  return decisions_;
}

void ring_trigger::clear() {
  for (std::size_t group = 0; group * fit_lanes < decisions_.size(); ++group)
    groups_[group].hits = {};
  decisions_.clear();
  truths_.clear();
  hits_ = 0;
}

void ring_trigger::decide_group(std::size_t group) {
  fitted_rings found;
  kernels_.fit(groups_[group], hit_deviation, found);
  const std::size_t first = group * fit_lanes;
  const std::size_t lanes = std::min(fit_lanes, decisions_.size() - first);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const bool kept = is_ring(found, lane, groups_[group].hits[lane]);
    const bool has_ring = truths_[first + lane]->has_ring;
    decisions_[first + lane].kept = kept ? 1 : 0;
    account_.rings += has_ring;
    account_.kept_rings += kept && has_ring;
    account_.kept_noise += kept && !has_ring;
  }
  add_pulls(found, group);
}

void ring_trigger::add_pulls(const fitted_rings& found, std::size_t group) {
  const std::size_t first = group * fit_lanes;
  std::array<float, 3> sum{}, square{};
  const std::size_t lanes = std::min(fit_lanes, decisions_.size() - first);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const table_event& truth = *truths_[first + lane];
    if (!truth.has_ring || !(found.radius[lane] > 0)) continue;
    const std::array<float, 3> pulls{
        (found.x[lane] - truth.truth.x) / found.x_error[lane],
        (found.y[lane] - truth.truth.y) / found.y_error[lane],
        (found.radius[lane] - truth.truth.radius) / found.radius_error[lane]};
    for (std::size_t k = 0; k < 3; ++k) {
      sum[k] += pulls[k];
      square[k] += pulls[k] * pulls[k];
    }
    ++account_.fitted;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    account_.pulls[k] += static_cast<double>(sum[k]);
    account_.pull_squares[k] += static_cast<double>(square[k]);
  }
}

}  // namespace event_stream
