#pragma once
/// All kernels are launched here.

#include "device/cuda/calls.hpp"

namespace onehop::cuda {
namespace {

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, cudaStream_t on,
            const Arguments&... arguments) {
  cudaLaunchConfig_t how{};
  how.gridDim = blocks;
  how.blockDim = threads;
  how.stream = on;
  ONEHOP_CUDA(cudaLaunchKernelEx(&how, kernel, arguments...));
}

}  // namespace
}  // namespace onehop::cuda
