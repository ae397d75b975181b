#include "cell_kernels.hpp"

#include <common/instruction_sets.hpp>

namespace particle_in_cell {

// Each namespace is defined by a build of cell_kernels.cpp.
#define PARTICLE_IN_CELL_DECLARE(isa, usable) \
  namespace isa {                             \
  cell_kernels table();                       \
  }
ONEHOP_APP_ISAS(PARTICLE_IN_CELL_DECLARE)

const std::vector<cell_kernels>& usable_kernels() {
  static const std::vector<cell_kernels> found = [] {
    std::vector<cell_kernels> all;
#define PARTICLE_IN_CELL_ADD(isa, usable) \
  if (usable) all.push_back(isa::table());
    ONEHOP_APP_ISAS(PARTICLE_IN_CELL_ADD)
    return all;
  }();
  return found;
}

}  // namespace particle_in_cell
