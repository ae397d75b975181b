// With MPI_Pcontrol a program tells a virtual machine how long a rank computes.

#include <cstdarg>
#include <onehop/context.hpp>
#include <onehop/kernel_cost.hpp>

#include "mpi/errors.hpp"
#include "mpi/state.hpp"
#include "mpi/words.hpp"

namespace onehop::mpi_abi {
namespace {

/// Makes the rank compute for the declared time. The standard leaves the meaning of levels beyond
/// 2, and of the arguments after the level, to the profiling library.
void declare_work(const context& ctx, int level, std::va_list what) {
  constexpr int seconds_follow = 100, flops_and_bytes_follow = 101;
  kernel_cost cost{.launches = 0};
  if (level == seconds_follow) {
    cost.seconds = va_arg(what, double);
  } else if (level == flops_and_bytes_follow) {
    cost.flops = va_arg(what, double);
    cost.bytes = va_arg(what, double);
  } else {
    return;
  }
  ctx.work(cost);
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

// Like a call of a profiler, it may come before MPI_Init and after MPI_Finalize.
int MPI_Pcontrol(int level, ...) {
  if (!state().in_virtual_time) return success;
  std::va_list what;
  va_start(what, level);
  const int result = guarded("MPI_Pcontrol", [&] { declare_work(running().job(), level, what); });
  va_end(what);
  return result;
}
}
