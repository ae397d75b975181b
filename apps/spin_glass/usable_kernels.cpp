#include "row_kernels.hpp"

#include <common/instruction_sets.hpp>

namespace spin_glass {

// Each build of row_kernels.cpp has a table.
ONEHOP_APP_USABLE_KERNELS_OF_REALS(row_kernels)

}  // namespace spin_glass
