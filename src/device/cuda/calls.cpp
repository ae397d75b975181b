#include "device/cuda/calls.hpp"

#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::cuda {
namespace {

std::string_view advice(cudaError_t result) {
  switch (result) {
    case cudaErrorMemoryAllocation:
      return "the device has too little memory left: use a smaller lattice, fewer reals per link, "
             "lower precision or more ranks";
    case cudaErrorInsufficientDriver:
    case cudaErrorNoDevice:
      return "use --device host";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "onehop was not built for this device: build it again with its compute capability in "
             "CMAKE_CUDA_ARCHITECTURES";
    case cudaErrorDevicesUnavailable:
      return "another process holds the device for itself: wait for it or use another device";
    default:
      return "see nvidia-smi and the kernel log for what became of the device";
  }
}

}  // namespace

void require(cudaError_t result, std::string_view call, const char* file, int line) {
  if (result == cudaSuccess) return;
  // A call that failed must not be reported again by the next launch.
  ignore(cudaGetLastError());
  std::string_view name(file);
  const auto begin = name.rfind("src/device/cuda/");
  if (begin != std::string_view::npos) name.remove_prefix(begin);
  const std::string_view what = call.substr(0, call.find('('));
  throw resource_error(
      text(what, " (", name, ":", line, "): ", cudaGetErrorString(result), "; ", advice(result)));
}

}  // namespace onehop::cuda
