// Puts and collectives use these kernels, which have their own symbol because they need nothing
// else of this module.

#include "device/combine_values.hpp"
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

template <class Kernel>
void load() {
  cudaFuncAttributes found{};
  ONEHOP_CUDA(cudaFuncGetAttributes(&found, run_words<Kernel>));
}

void load_combining() {
  using onehop::number_type, onehop::reduction;
  device::combine_job any{};
  for (const number_type type : {number_type::int32, number_type::uint32, number_type::int64,
                                 number_type::uint64, number_type::float32, number_type::float64})
    for (const reduction kind : {reduction::sum, reduction::min, reduction::max, reduction::bit_and,
                                 reduction::bit_or, reduction::bit_xor}) {
      any.type = static_cast<std::int32_t>(type);
      any.kind = static_cast<std::int32_t>(kind);
      device::with_combining(any, []<class Kernel>(const Kernel&) { load<Kernel>(); });
    }
}

void prepare() {
  load<device::gather_words<device::word16>>();
  load<device::gather_words<std::uint64_t>>();
  load<device::gather_words<std::uint32_t>>();
  load<device::gather_words<std::uint16_t>>();
  load<device::gather_words<std::uint8_t>>();
  load_combining();
}

/// Launches the kernel with one thread for each of `count` items.
template <class Kernel>
void run(const Kernel& kernel, std::uint32_t count, void* stream) {
  const unsigned blocks = (count + threads - 1) / threads;
  launch(run_words<Kernel>, blocks, threads, static_cast<cudaStream_t>(stream), kernel, count);
}

void copy(const device::strided_copy& job, void* stream) {
  if (job.words == 0) return;
  device::with_words(job, [&](const auto& kernel) { run(kernel, job.words, stream); });
}

void combine(const device::combine_job& job, void* stream) {
  if (job.values == 0) return;
  device::with_combining(job, [&](const auto& kernel) { run(kernel, job.values, stream); });
}

}  // namespace
}  // namespace onehop::cuda

extern "C" {

[[gnu::visibility("default")]] extern const onehop::device::device_kernels onehop_device_kernels;
const onehop::device::device_kernels onehop_device_kernels{
    ONEHOP_DEVICE_KERNELS, onehop::cuda::prepare, onehop::cuda::copy, onehop::cuda::combine};

}  // extern "C"
