#include "device/cuda/backend.hpp"

#include <onehop/error.hpp>

#include "base/text.hpp"
#include "device/cuda/calls.hpp"
#include "device/cuda/stream.hpp"
#include "device/cuda/tables.hpp"
#include "lattice/field_precision.hpp"

namespace onehop::cuda {
namespace {

template <class Stored>
device::kernel_table make_table(field_precision kind) {
  device::kernel_table table{};
  table.kind = kind;
  add_wilson<Stored>(table);
  add_wilson_dagger<Stored>(table);
  add_factored<Stored>(table);
  add_factored_dagger<Stored>(table);
  add_staggered<Stored>(table);
  add_algebra<Stored>(table);
  add_bicgstab<Stored>(table);
  return table;
}

}  // namespace

backend::backend(int device)
    : device_(device),
      tables_{make_table<double>(field_precision::double_),
              make_table<float>(field_precision::single),
              make_table<std::int16_t>(field_precision::half)} {
  ONEHOP_CUDA(cudaSetDevice(device));
  cudaDeviceProp properties{};
  ONEHOP_CUDA(cudaGetDeviceProperties(&properties, device));
  name_ = text("cuda ", device, ": ", properties.name);
}

std::string backend::name() const { return name_; }

std::unique_ptr<device::stream> backend::make_stream() { return std::make_unique<stream>(shapes_); }

const device::kernel_table& backend::kernels(field_precision kind) {
  return tables_[static_cast<std::size_t>(kind)];
}

void* backend::allocate(std::size_t bytes) {
  void* memory = nullptr;
  const std::size_t wanted = bytes == 0 ? 1 : bytes;
  ONEHOP_CUDA(cudaMalloc(&memory, wanted));
  ONEHOP_CUDA(cudaMemset(memory, 0, wanted));
  // The zeros are written in the default stream, for which this library's streams do not wait.
  ONEHOP_CUDA(cudaStreamSynchronize(cudaStreamLegacy));
  return memory;
}

void backend::release(void* memory) noexcept { ignore(cudaFree(memory)); }

void* backend::allocate_host(std::size_t bytes) {
  void* memory = nullptr;
  ONEHOP_CUDA(cudaMallocHost(&memory, bytes == 0 ? 1 : bytes));
  return memory;
}

void backend::release_host(void* memory) noexcept { ignore(cudaFreeHost(memory)); }

}  // namespace onehop::cuda
