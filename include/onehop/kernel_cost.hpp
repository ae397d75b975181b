#pragma once
/// A kernel_cost says what a kernel does, for machines whose time is computed.

#include <onehop/detail/language.hpp>

namespace onehop {

/// The cost counts flops and bytes of one rank, and how many kernels a GPU launches for them.
struct kernel_cost {
  double flops = 0, bytes = 0;
  int launches = 1;
  double seconds = 0;  ///< further time, which is the same on every machine
};

}  // namespace onehop
