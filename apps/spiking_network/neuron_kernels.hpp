#pragma once
/// The neuron kernels advance neurons by a step; they are built for several instruction sets.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace spiking_network {

/// Neurons come in groups of this size; the neurons that fill up the last group have no synapses.
inline constexpr std::size_t neurons_of_group = 64;

/// neuron_arrays are the neurons of a rank: `groups` groups in each array. The potential is in mV,
/// recovery and current in mV/ms.
struct neuron_arrays {
  float* potential;
  float* recovery;
  float* current;
  const float* pace;   ///< a of the model
  const float* after;  ///< d of the model, added to the recovery by a spike
  std::size_t groups;
};

/// E. M. Izhikevich's model (IEEE Trans. Neural Networks 14 (2003) 1569) with b = 0.2, c = -65 mV:
///
///     v' = 0.04 v^2 + 5 v + 140 - u + I,  u' = a (0.2 v - u);  at 30 mV: v = -65, u = u + d.
///
/// A step is 1 ms: for stability, v advances in two half steps, then u with the new v. A potential
/// that has passed 30 mV stays at 30 mV until the end of the step.
struct neuron_kernels {
  std::string_view isa;
  /// Advances the neurons, sets their currents to 0 and writes to `spikes`, for each group, which
  /// of its neurons have fired (bit k for neuron k).
  void (*step)(const neuron_arrays& neurons, std::uint64_t* spikes);
};

/// Returns the kernels that this program was built with and this processor has, the widest first.
const std::vector<neuron_kernels>& usable_kernels();

}  // namespace spiking_network
