#include "host_backend/host_backend.hpp"

#include "host_backend/host_launcher.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

namespace onehop::device {
namespace {

class host_backend : public backend {
 public:
  std::string name() const override { return "host"; }
  std::unique_ptr<stream> make_stream() override { return std::make_unique<host_stream>(); }
  const kernel_table& kernels(field_precision kind) override {
    return tables_[static_cast<std::size_t>(kind)];
  }
  void set_blocks(const block_shapes&) override {}  // The host has no blocks.
  void* allocate(std::size_t bytes) override {
    const std::size_t rounded = (bytes + 255) / 256 * 256 + 256;
    void* memory = std::aligned_alloc(256, rounded);
    if (memory == nullptr) throw std::bad_alloc();
    return std::memset(memory, 0, rounded);
  }
  void release(void* memory) noexcept override { std::free(memory); }
  void* allocate_host(std::size_t bytes) override { return allocate(bytes); }
  void release_host(void* memory) noexcept override { release(memory); }

 private:
  std::array<kernel_table, 3> tables_ = {make_host_table<double>(field_precision::double_),
                                         make_host_table<float>(field_precision::single),
                                         make_host_table<std::int16_t>(field_precision::half)};
};

}  // namespace

std::unique_ptr<backend> make_host_backend() { return std::make_unique<host_backend>(); }

}  // namespace onehop::device
