#include "plasticity.hpp"

#include <algorithm>

namespace spiking_network {
namespace {

constexpr float growth = 0.1F, fall = 0.12F, drift = 0.01F, kept = 0.9F;

}  // namespace

plasticity::plasticity(const sheet& columns, const synapse_table& synapses)
    : targets_(synapses.targets()),
      changes_(synapses.size()),
      arrivals_(synapses.size(), never),
      fired_(columns.own_neurons(), never),
      begins_(columns.own_neurons() + std::size_t{1}) {
  double value = 1;
  for (float& each : decay_) {
    each = static_cast<float>(value);
    value *= 0.95;
  }
  const auto for_each_excitatory = [&](const auto& take) {
    for (std::uint32_t source = 0; source < columns.sources(); ++source) {
      if (!columns.settings().is_excitatory(columns.source_at(source))) continue;
      const synapse_run all = synapses.all(source);
      for (std::uint32_t s = all.begin; s < all.end; ++s) take(s);
    }
  };
  for_each_excitatory([&](std::uint32_t s) { ++begins_[targets_[s] + std::size_t{1}]; });
  for (std::size_t n = 1; n < begins_.size(); ++n) begins_[n] += begins_[n - 1];
  synapses_.resize(begins_.back());
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
  for_each_excitatory([&](std::uint32_t s) { synapses_[next[targets_[s]]++] = s; });
}

void plasticity::arrive(const synapse_run& run, std::int32_t step) noexcept {
  for (std::uint32_t s = run.begin; s < run.end; ++s) {
    changes_[s] -= fall * decay(step - fired_[targets_[s]] - 1);
    arrivals_[s] = step;
  }
}

void plasticity::fire(std::uint32_t local, std::int32_t step) noexcept {
  for (const std::uint32_t s : ending_at(local)) changes_[s] += growth * decay(step - arrivals_[s]);
  fired_[local] = step;
}

void plasticity::renew(std::span<float> weights) noexcept {
  for (const std::uint32_t s : synapses_) {
    weights[s] = std::clamp(weights[s] + drift + changes_[s], 0.0F, most_weight);
    changes_[s] *= kept;
  }
}

}  // namespace spiking_network
