// Built once for each part of the table and kind of numbers: ONEHOP_PART names the one,
// ONEHOP_STORED the type of the other.

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
