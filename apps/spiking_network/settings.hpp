#pragma once
/// These settings define the simulated network.

#include <cstdint>

namespace spiking_network {

/// This is a neuron's number in the whole network: column * neurons of a column + place in the
/// column. The first four fifths of a column are excitatory, the others inhibitory.
using neuron = std::uint32_t;

/// The columns lie on a grid that is periodic in x and y. The defaults are the numbers of E. M.
/// Izhikevich, Neural Computation 18 (2006) 245.
struct network_settings {
  std::uint32_t columns_x = 1, columns_y = 1;
  std::uint32_t neurons = 1000;  ///< number of neurons of a column
  std::uint32_t synapses = 100;  ///< number of synapses that leave a neuron
  std::uint32_t delay_ms = 20;   ///< the longest delay of an excitatory synapse; 1 is the shortest
  /// This share of an excitatory neuron's synapses ends in its own column.
  double local = 0.76;
  float excitation = 6, inhibition = 5;  ///< change of a current by a spike (mV/ms)
  double stimulus_hz = 1;                ///< how often a neuron is stimulated
  float stimulus = 20;                   ///< change of its current by a stimulus (mV/ms)
  bool plastic = false;                  ///< true if spikes change excitatory weights (STDP)
  std::uint64_t seed = 1;

  std::uint32_t columns() const noexcept { return columns_x * columns_y; }
  std::uint32_t excitatory() const noexcept { return neurons - neurons / 5; }
  bool is_excitatory(neuron n) const noexcept { return n % neurons < excitatory(); }
};

/// Throws onehop::usage_error if there is no such network. Possible are numbers of columns, neurons
/// and synapses from 1 on, five neurons or more in a column, fewer than 2^32 in all, delays of 1 to
/// 255 ms, and a local share from 0 to 1.
void check(const network_settings& how);

}  // namespace spiking_network
