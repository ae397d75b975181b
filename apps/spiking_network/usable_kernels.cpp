#include "neuron_kernels.hpp"

#include <common/instruction_sets.hpp>

namespace spiking_network {

// Each build of neuron_kernels.cpp has a table.
ONEHOP_APP_USABLE_KERNELS(neuron_kernels)

}  // namespace spiking_network
