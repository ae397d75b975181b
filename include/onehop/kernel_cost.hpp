#pragma once
/// A kernel_cost describes the work of a kernel, for machines whose time is computed.

#include <onehop/detail/language.hpp>

namespace onehop {

/// The cost holds the flops and bytes of one rank, and the number of kernels that a GPU launches
/// for them.
struct kernel_cost {
  double flops = 0, bytes = 0;
  int launches = 1;
  double seconds = 0;  ///< additional time, the same on every machine
};

}  // namespace onehop
