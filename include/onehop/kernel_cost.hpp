#pragma once
/// What a kernel does, for machines whose time is computed.

namespace onehop {

/// Flops and bytes of one rank, and how many kernels a GPU launches for them.
struct kernel_cost {
  double flops = 0, bytes = 0;
  int launches = 1;
};

}  // namespace onehop
