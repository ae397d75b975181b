#include "row_kernels.hpp"

#include <common/instruction_sets.hpp>

namespace lattice_boltzmann {

// Each build of row_kernels.cpp has a table.
ONEHOP_APP_USABLE_KERNELS_OF_REALS(row_kernels)

}  // namespace lattice_boltzmann
