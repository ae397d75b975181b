#include "ring_trigger.hpp"

#include <common/instruction_sets.hpp>

#include <algorithm>
#include <cmath>

namespace event_stream {

// Each build of ring_fit.cpp defines a table.
ONEHOP_APP_USABLE_KERNELS(ring_kernels)

ring_trigger::ring_trigger(const event_table& table, std::size_t batch)
    : table_(table),
      kernels_(usable_kernels().front()),
      finder_(kernels_),
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
    table_.several() ? decide_several(first / fit_lanes) : decide_group(first / fit_lanes);
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

std::size_t ring_trigger::events_of(std::size_t group) const noexcept {
  return std::min(fit_lanes, decisions_.size() - group * fit_lanes);
}

void ring_trigger::decide_group(std::size_t group) {
  fitted_rings found;
  kernels_.fit(groups_[group], hit_deviation, found);
  const std::size_t first = group * fit_lanes;
  for (std::size_t lane = 0; lane < events_of(group); ++lane)
    keep(first + lane, is_ring(found, lane, groups_[group].hits[lane]));
  add_pulls(found, group);
}

void ring_trigger::keep(std::size_t number, bool kept) {
  const bool has_ring = truths_[number]->rings > 0;
  decisions_[number].kept = kept ? 1 : 0;
  account_.rings += has_ring;
  account_.kept_rings += kept && has_ring;
  account_.kept_noise += kept && !has_ring;
}

/// An event with several rings is kept if any of them is a ring.
void ring_trigger::decide_several(std::size_t group) {
  finder_.find(groups_[group]);
  const std::size_t first = group * fit_lanes;
  for (std::size_t lane = 0; lane < events_of(group); ++lane) {
    const auto found = finder_.rings(lane);
    keep(first + lane, !found.empty());
    match(found, *truths_[first + lane]);
  }
}

/// A ring counts as found if centre and radius are right within ten deviations of a hit, which no
/// other ring fulfils by chance. A hit of another ring that happens to lie on this one is included
/// in its fit, so that pulls have width 1 only for rings without such hits.
void ring_trigger::match(std::span<const found_ring> found, const table_event& truth) {
  constexpr float near = 10 * hit_deviation;
  std::size_t matched = 0;
  for (std::size_t k = 0; k < truth.rings; ++k) {
    const ring& real = truth.truth[k];
    const auto at = std::ranges::find_if(found, [&](const found_ring& one) {
      return std::abs(one.at.x - real.x) < near && std::abs(one.at.y - real.y) < near &&
             std::abs(one.at.radius - real.radius) < near;
    });
    if (at == found.end()) continue;
    ++matched;
    if (at->at.hits == real.hits)
      add_pulls({(at->at.x - real.x) / at->x_error, (at->at.y - real.y) / at->y_error,
                 (at->at.radius - real.radius) / at->radius_error});
  }
  account_.true_rings += truth.rings;
  account_.found_rings += matched;
  account_.false_rings += found.size() - std::min(found.size(), matched);
}

void ring_trigger::add_pulls(const std::array<float, 3>& pulls) {
  for (std::size_t k = 0; k < 3; ++k) {
    account_.pulls[k] += static_cast<double>(pulls[k]);
    account_.pull_squares[k] += static_cast<double>(pulls[k]) * static_cast<double>(pulls[k]);
  }
  ++account_.fitted;
}

void ring_trigger::add_pulls(const fitted_rings& found, std::size_t group) {
  const std::size_t first = group * fit_lanes;
  for (std::size_t lane = 0; lane < events_of(group); ++lane) {
    const table_event& truth = *truths_[first + lane];
    if (truth.rings == 0 || !(found.radius[lane] > 0)) continue;
    const ring& real = truth.truth[0];
    add_pulls({(found.x[lane] - real.x) / found.x_error[lane],
               (found.y[lane] - real.y) / found.y_error[lane],
               (found.radius[lane] - real.radius) / found.radius_error[lane]});
  }
}

}  // namespace event_stream
