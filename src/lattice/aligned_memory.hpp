#pragma once
/// Zeroed memory for fields, aligned for the widest vectors.

#include <cstddef>
#include <memory>
#include <span>

namespace onehop {

/// Large ones lie on huge pages where the kernel grants them. What comes fresh from the system
/// belongs to no page of memory before it is written: to the node of the thread that first writes
/// there, then.
class aligned_memory {
 public:
  static constexpr std::size_t alignment = 64;

  /// Throws std::bad_alloc.
  explicit aligned_memory(std::size_t bytes);

  std::byte* data() noexcept { return memory_.get(); }
  const std::byte* data() const noexcept { return memory_.get(); }
  std::size_t size() const noexcept { return size_; }
  std::span<double> doubles() noexcept {
    return {reinterpret_cast<double*>(memory_.get()), size_ / sizeof(double)};
  }

 private:
  struct release {
    void* whole;         ///< of which the memory may be a part
    std::size_t mapped;  ///< 0 for memory of the heap
    void operator()(std::byte*) const noexcept;
  };
  using owner = std::unique_ptr<std::byte, release>;
  static owner allocate(std::size_t bytes);

  std::size_t size_;
  owner memory_;
};

}  // namespace onehop
