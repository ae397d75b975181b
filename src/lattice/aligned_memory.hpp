#pragma once
/// aligned_memory is zeroed memory for fields, aligned for the widest vectors.

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace onehop {

/// Large memory lies on huge pages if the kernel grants them. Memory fresh from the system has no
/// pages until it is written; each page is then taken from the NUMA node of the thread that first
/// writes to it.
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
    void* whole;         ///< the allocation, of which the memory may be a part
    std::size_t mapped;  ///< bytes of a mapping, 0 for memory from the heap
    void operator()(std::byte*) const noexcept;
  };
  using owner = std::unique_ptr<std::byte, release>;
  static owner allocate(std::size_t bytes);

  std::size_t size_;
  owner memory_;
};

/// A memory_pool holds memory of fields that come and go. It keeps returned memory for the next
/// field that needs as much, because fresh memory costs as much time as several passes over it. A
/// pool belongs to one rank, and to one thread at a time.
class memory_pool {
 public:
  /// Returns at least `bytes` bytes of undefined values. Throws std::bad_alloc.
  aligned_memory take(std::size_t bytes);
  void give_back(aligned_memory memory) noexcept;

 private:
  std::vector<aligned_memory> kept_;
};

/// pooled_memory returns to the pool that it came from.
class pooled_memory {
 public:
  /// The memory comes from `pool`, or zeroed from the system if `pool` is null. Throws
  /// std::bad_alloc.
  pooled_memory(std::size_t bytes, std::shared_ptr<memory_pool> pool)
      : pool_(std::move(pool)), memory_(pool_ ? pool_->take(bytes) : aligned_memory(bytes)) {}
  ~pooled_memory() {
    if (pool_) pool_->give_back(std::move(memory_));
  }
  pooled_memory(pooled_memory&& other) noexcept = default;
  pooled_memory& operator=(pooled_memory&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(memory_, other.memory_);
    return *this;
  }

  std::byte* data() noexcept { return memory_.data(); }
  const std::byte* data() const noexcept { return memory_.data(); }
  const std::shared_ptr<memory_pool>& pool() const noexcept { return pool_; }

 private:
  std::shared_ptr<memory_pool> pool_;
  aligned_memory memory_;
};

}  // namespace onehop
