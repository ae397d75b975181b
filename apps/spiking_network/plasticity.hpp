#pragma once
/// Spikes change the weights of excitatory synapses according to their arrival times (STDP).

#include "synapse_table.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace spiking_network {

/// The weight of a synapse grows if a spike arrives before its neuron fires, and falls if it
/// arrives afterwards:
///
///     a neuron fires n steps after the last arrival:              + 0.1 * 0.95^n
///     a spike arrives n + 1 steps after the neuron's last spike:  - 0.12 * 0.95^n
///
/// These changes are accumulated. Once a second of the network, each weight grows by 0.01 and by
/// the accumulated change, and is limited to 0 to 10; nine tenths of the accumulated change are
/// kept for the next second (E. M. Izhikevich, Neural Computation 18 (2006) 245).
class plasticity {
 public:
  static constexpr float most_weight = 10;
  static constexpr std::int32_t renewal_ms = 1000;

  plasticity(const sheet& columns, const synapse_table& synapses);

  /// A spike of an excitatory neuron arrives along these synapses.
  void arrive(const synapse_run& run, std::int32_t step) noexcept;
  /// The rank's neuron `local` fires, after the arrivals of this step.
  void fire(std::uint32_t local, std::int32_t step) noexcept;
  void renew(std::span<float> weights) noexcept;
  /// Returns the excitatory synapses that end at a neuron.
  std::span<const std::uint32_t> ending_at(std::uint32_t local) const noexcept {
    return std::span(synapses_).subspan(begins_[local], begins_[local + 1] - begins_[local]);
  }

 private:
  static constexpr std::size_t remembered = 512;  ///< 0.95^512 is 4e-12
  static constexpr std::int32_t never = -(1 << 30);
  float decay(std::int32_t steps) const noexcept {
    return static_cast<std::uint32_t>(steps) < remembered ? decay_[static_cast<std::size_t>(steps)]
                                                          : 0.0F;
  }

  std::span<const std::uint32_t> targets_;
  std::array<float, remembered> decay_;  ///< 0.95^n
  std::vector<float> changes_;           ///< by synapse
  std::vector<std::int32_t> arrivals_;   ///< by synapse, the step of the last arrival
  std::vector<std::int32_t> fired_;      ///< by neuron, the step of its last spike
  /// These are the excitatory synapses by the neuron at which they end: those of neuron n begin at
  /// begins_[n].
  std::vector<std::uint32_t> begins_, synapses_;
};

}  // namespace spiking_network
