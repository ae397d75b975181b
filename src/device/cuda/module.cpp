#include "base/text.hpp"
#include "device/cuda/backend.hpp"
#include "device/cuda/calls.hpp"
#include "device/cuda_module.hpp"

namespace onehop::cuda {
namespace {

/// Returns "13.0" for 13000.
std::string version_text(int number) { return text(number / 1000, ".", number % 1000 / 10); }

std::string problem_of(cudaError_t result) {
  if (result == cudaSuccess) return {};
  ignore(cudaGetLastError());
  if (result == cudaErrorInsufficientDriver) {
    int driver = 0;
    ignore(cudaDriverGetVersion(&driver));
    if (driver == 0) return "no CUDA driver on this machine";
    return text("the CUDA driver here is for CUDA ", version_text(driver),
                ", which is older than what onehop was built with");
  }
  if (result == cudaErrorNoDevice) return "no CUDA device on this machine, or none that is visible";
  return text("the CUDA driver fails: ", cudaGetErrorString(result));
}

void inspect(std::string& runtime, std::string& problem) {
  int version = 0, devices = 0;
  ONEHOP_CUDA(cudaRuntimeGetVersion(&version));
  runtime = version_text(version);
  problem = problem_of(cudaGetDeviceCount(&devices));
}

}  // namespace
}  // namespace onehop::cuda

namespace onehop::device {

extern "C" {

[[gnu::visibility("default")]] extern const cuda_module onehop_cuda_module;
const cuda_module onehop_cuda_module{ONEHOP_CUDA_INTERFACE, ONEHOP_VERSION, cuda::inspect,
                                     [](int device, std::unique_ptr<backend>& opened) {
                                       opened = std::make_unique<cuda::backend>(device);
                                     }};

}  // extern "C"

}  // namespace onehop::device
