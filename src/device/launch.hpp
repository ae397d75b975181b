#pragma once
/// Where kernels run, and what they cost there.

#include <onehop/context.hpp>
#include <utility>

#include "transport/base/transport.hpp"

namespace onehop::device {

/// Flops and bytes of one rank, and how many kernels a GPU launches for them.
using cost = kernel_cost;

/// On a virtual machine whose fields lie in device memory the time passes that its GPU takes:
/// launches * launch + max(flops / rate, bytes / rate). Elsewhere the processor has taken its time.
void charge(const context& ctx, const cost& what);

/// Runs `kernel` on the host, wherever its time is counted.
template <class Kernel>
void launch(const context& ctx, const cost& what, Kernel&& kernel) {
  std::forward<Kernel>(kernel)();
  charge(ctx, what);
}

}  // namespace onehop::device
