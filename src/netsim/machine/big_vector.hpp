#pragma once
/// A big_vector holds what the whole machine has of a kind: a large one takes large pages, because
/// an event touches a few places far apart and would otherwise miss the table of small pages each
/// time.

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace onehop::netsim {

/// The number of nothing, where things are numbered.
inline constexpr std::uint32_t no_index = UINT32_MAX;

template <class T>
struct big_allocator {
  using value_type = T;
  static constexpr std::size_t large_page = std::size_t{1} << 21;

  big_allocator() = default;
  template <class U>
  constexpr big_allocator(const big_allocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    const auto bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, alignment(bytes));
    // Without large pages the result is the same, only slower.
    if (bytes >= large_page) madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete(memory, alignment(count * sizeof(T)));
  }
  friend bool operator==(const big_allocator&, const big_allocator&) { return true; }

 private:
  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes >= large_page ? large_page : 64};
  }
};

template <class T>
using big_vector = std::vector<T, big_allocator<T>>;

}  // namespace onehop::netsim
