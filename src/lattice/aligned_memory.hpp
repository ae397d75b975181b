#pragma once
/// aligned_memory is zeroed memory for fields, aligned for the widest vectors.

#include <cstddef>
#include <memory>
#include <span>

namespace onehop {

/// Large memory lies on huge pages where the kernel grants them. Memory that comes fresh from the
/// system has no pages before it is written; each page is then taken from the node of the thread
/// that first writes there.
class aligned_memory {
 public:
  static constexpr std::size_t alignment = 64;

  /// The constructor throws std::bad_alloc.
  explicit aligned_memory(std::size_t bytes);

  std::byte* data() noexcept { return memory_.get(); }
  const std::byte* data() const noexcept { return memory_.get(); }
  std::size_t size() const noexcept { return size_; }
  std::span<double> doubles() noexcept {
    return {reinterpret_cast<double*>(memory_.get()), size_ / sizeof(double)};
  }

 private:
  struct release {
    void* whole;         ///< what was allocated, of which the memory may be a part
    std::size_t mapped;  ///< bytes of a mapping, 0 for memory of the heap
    void operator()(std::byte*) const noexcept;
  };
  using owner = std::unique_ptr<std::byte, release>;
  static owner allocate(std::size_t bytes);

  std::size_t size_;
  owner memory_;
};

}  // namespace onehop
