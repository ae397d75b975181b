#pragma once
/// These say what the parts of a step cost on a virtual machine.

#include <onehop/kernel_cost.hpp>

#include <cstdint>

namespace spiking_network {

/// A spike finds the begin and the end of its synapses in 8 bytes; each synapse is read with target
/// and weight, and a current is read and written. Where it is plastic, the step of the target's
/// last spike is read, the collected change read and written, and the arrival written.
inline onehop::kernel_cost delivery_work(std::uint64_t runs, std::uint64_t events, bool plastic) {
  const double each = plastic ? 32 : 16;
  return {.flops = (plastic ? 3.0 : 1.0) * static_cast<double>(events),
          .bytes = 8.0 * static_cast<double>(runs) + each * static_cast<double>(events)};
}

/// A neuron's potential, recovery and current are read and written and its two constants read; the
/// halves of a step take 7 each, the recovery 4, what rests 2, the spike 2.
inline onehop::kernel_cost neuron_work(std::uint64_t neurons) {
  return {.flops = 22.0 * static_cast<double>(neurons),
          .bytes = 32.0 * static_cast<double>(neurons)};
}

/// For each synapse that ends at a neuron that fires, its number and its last arrival are read and
/// its collected change is read and written.
inline onehop::kernel_cost learning_work(std::uint64_t synapses) {
  return {.flops = 2.0 * static_cast<double>(synapses),
          .bytes = 16.0 * static_cast<double>(synapses)};
}

}  // namespace spiking_network
