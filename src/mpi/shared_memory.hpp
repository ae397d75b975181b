#pragma once
/// Memory that all ranks of a communicator can load from and store to.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/communicator.hpp"

namespace onehop::mpi_abi {

/// A shared_parts object is memory that consists of one part per rank, and of one word per part
/// that tells whether a rank is changing the part.
class shared_parts {
 public:
  /// Makes the memory; collective. A part begins at a multiple of `alignment` bytes, which is at
  /// most a line. Returns null at all ranks if one of them cannot have it.
  static std::shared_ptr<shared_parts> make(const communicator_ptr& comm, std::size_t mine,
                                            std::size_t alignment);

  std::byte* part(int rank) const noexcept { return begins_[static_cast<std::size_t>(rank)]; }
  /// Acquires a part unless somebody is changing it, and returns whether it did. Then no other rank
  /// can acquire the part before this rank calls `release`.
  bool try_acquire(int rank) const noexcept {
    return word(rank).exchange(1, std::memory_order_acquire) == 0;
  }
  void release(int rank) const noexcept { word(rank).store(0, std::memory_order_release); }

 private:
  /// Ranks that change different parts do not share a cache line.
  static constexpr std::size_t line = 64;
  std::atomic_ref<std::uint32_t> word(int rank) const noexcept {
    std::byte* const at = memory_.get() + line * static_cast<std::size_t>(rank);
    return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(at));
  }

  std::shared_ptr<std::byte> memory_;
  std::vector<std::byte*> begins_;
};

}  // namespace onehop::mpi_abi
