// This file is built once for each part of the table and each precision: ONEHOP_PART names the
// part, ONEHOP_STORED the stored type.

#include "device/cuda/launch.cuh"
#include "device/cuda/tables.hpp"

#define ONEHOP_JOINED(a, b) a##b
#define ONEHOP_NAMED(verb, part) ONEHOP_JOINED(verb, part)

namespace onehop::cuda {

template <>
void ONEHOP_NAMED(add_, ONEHOP_PART)<ONEHOP_STORED>(device::kernel_table& table) {
  device::ONEHOP_NAMED(fill_, ONEHOP_PART)<launcher, ONEHOP_STORED>(table);
}

}  // namespace onehop::cuda
