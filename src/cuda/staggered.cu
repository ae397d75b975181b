// Built once per kind of numbers, with ONEHOP_STORED naming their type.

#include "cuda/launch.cuh"
#include "cuda/tables.hpp"
#include "dirac/device/fill_table.hpp"

namespace onehop::cuda {

template <>
void add_staggered<ONEHOP_STORED>(device::kernel_table& table) {
  device::fill_staggered<launcher, ONEHOP_STORED>(table);
}

}  // namespace onehop::cuda
