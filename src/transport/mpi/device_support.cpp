#include "transport/mpi/device_support.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.hpp"

// Open MPI, MPICH and their descendants have this function, but not in all versions. Open MPI
// declares it in a header that not all installations have.
extern "C" int MPIX_Query_cuda_support(void) __attribute__((weak));

namespace onehop::mpi {
namespace {

/// If an MPI lacks that function, users set these variables to make it accept such addresses.
constexpr std::array<std::string_view, 2> switches = {"MV2_USE_CUDA", "MPICH_GPU_SUPPORT_ENABLED"};

}  // namespace

device_support query_device_support() {
  if (MPIX_Query_cuda_support != nullptr) {
    const bool taken = MPIX_Query_cuda_support() == 1;
    return {true, taken, text("MPIX_Query_cuda_support of this MPI says ", taken ? "yes" : "no")};
  }
  for (const std::string_view name : switches) {
    const char* const value = std::getenv(std::string(name).c_str());
    if (value != nullptr && std::string_view(value) == "1")
      return {true, true, text(name, "=1 tells this MPI to")};
  }
  return {true, false, "this MPI has no MPIX_Query_cuda_support to ask"};
}

}  // namespace onehop::mpi
