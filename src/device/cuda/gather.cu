// Puts use these kernels, which have a symbol of their own: chains need nothing else of this
// module.

#include "device/cuda/checked_launch.cuh"
#include "device/driver/device_kernels.hpp"
#include "device/gather_words.hpp"

namespace onehop::cuda {
namespace {

constexpr unsigned threads = 256;

template <class Kernel>
__global__ void __launch_bounds__(threads)
    run_words(const __grid_constant__ Kernel kernel, std::uint32_t count) {
  const std::uint32_t word = blockIdx.x * blockDim.x + threadIdx.x;
  if (word < count) kernel(word);
}

template <class Word>
void load() {
  cudaFuncAttributes found{};
  ONEHOP_CUDA(cudaFuncGetAttributes(&found, run_words<device::gather_words<Word>>));
}

void prepare() {
  load<device::word16>();
  load<std::uint64_t>();
  load<std::uint32_t>();
  load<std::uint16_t>();
  load<std::uint8_t>();
}

void copy(const device::strided_copy& job, void* stream) {
  if (job.words == 0) return;
  const unsigned blocks = (job.words + threads - 1) / threads;
  device::with_words(job, [&]<class Kernel>(const Kernel& kernel) {
    launch(run_words<Kernel>, blocks, threads, static_cast<cudaStream_t>(stream), kernel,
           job.words);
  });
}

}  // namespace
}  // namespace onehop::cuda

extern "C" {

[[gnu::visibility("default")]] extern const onehop::device::device_kernels onehop_device_kernels;
const onehop::device::device_kernels onehop_device_kernels{
    ONEHOP_DEVICE_KERNELS, onehop::cuda::prepare, onehop::cuda::copy};

}  // extern "C"
