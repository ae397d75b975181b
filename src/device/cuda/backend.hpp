#pragma once
/// A backend is a CUDA device that runs kernels.

#include <array>
#include <string>

#include "device/backend.hpp"
#include "device/block_shapes.hpp"
#include "dirac/device/kernel_table.hpp"

namespace onehop::cuda {

/// A backend belongs to the thread that made it, which has this device as its current one.
class backend : public device::backend {
 public:
  explicit backend(int device);

  std::string name() const override;
  std::unique_ptr<device::stream> make_stream() override;
  const device::kernel_table& kernels(field_precision kind) override;
  void set_blocks(const device::block_shapes& shapes) override { shapes_ = shapes; }
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void* allocate_host(std::size_t bytes) override;
  void release_host(void* memory) noexcept override;

 private:
  int device_;
  std::string name_;
  device::block_shapes shapes_;
  std::array<device::kernel_table, 3> tables_;
};

}  // namespace onehop::cuda
