#include "neuron_kernels.hpp"

#include <common/instruction_sets.hpp>

namespace spiking_network {

// Each namespace is defined by a build of neuron_kernels.cpp.
#define SPIKING_NETWORK_DECLARE(isa, usable) \
  namespace isa {                            \
  neuron_kernels table();                    \
  }
ONEHOP_APP_ISAS(SPIKING_NETWORK_DECLARE)

const std::vector<neuron_kernels>& usable_kernels() {
  static const std::vector<neuron_kernels> found = [] {
    std::vector<neuron_kernels> all;
#define SPIKING_NETWORK_ADD(isa, usable) \
  if (usable) all.push_back(isa::table());
    ONEHOP_APP_ISAS(SPIKING_NETWORK_ADD)
    return all;
  }();
  return found;
}

}  // namespace spiking_network
