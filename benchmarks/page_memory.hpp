#pragma once
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

namespace onehop::bench {

/// page_memory is zeroed and begins at the start of a page.
class page_memory {
 public:
  explicit page_memory(std::size_t bytes)
      : memory_(static_cast<std::byte*>(std::aligned_alloc(4096, (bytes + 4096) / 4096 * 4096)),
                &std::free),
        bytes_(bytes) {
    std::memset(memory_.get(), 0, bytes);
  }
  std::byte* at(std::size_t offset) const { return memory_.get() + offset; }
  std::span<std::byte> all() const { return {memory_.get(), bytes_}; }

 private:
  std::unique_ptr<std::byte, decltype(&std::free)> memory_;
  std::size_t bytes_;
};

}  // namespace onehop::bench
