#include "cell_kernels.hpp"

#include <common/instruction_sets.hpp>

namespace particle_in_cell {

// Each build of cell_kernels.cpp has a table.
ONEHOP_APP_USABLE_KERNELS(cell_kernels)

}  // namespace particle_in_cell
