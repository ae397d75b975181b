#pragma once
/// A big_vector holds one kind of data of the whole machine; a large one uses large pages.

#include <sys/mman.h>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace onehop::netsim {

/// Memory in large pages comes directly from the system and goes back to it at once. The system
/// provides large pages if it has them: an event touches a few places far apart, and with small
/// pages would miss the TLB each time. Without large pages the result is the same, only slower.
struct large_pages {
  static constexpr std::size_t page = std::size_t{1} << 21;

  static void* take(std::size_t bytes) {
    const auto size = whole(bytes), room = size + page;
    void* const found =
        mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) throw std::bad_alloc();
    auto* const first = static_cast<std::byte*>(found);
    const auto before = -reinterpret_cast<std::uintptr_t>(first) % page;
    if (before != 0) munmap(first, before);
    munmap(first + before + size, page - before);
    madvise(first + before, size, MADV_HUGEPAGE);
    return first + before;
  }
  static void give(void* memory, std::size_t bytes) noexcept { munmap(memory, whole(bytes)); }
  /// Returns more memory with the same contents; pages are remapped, nothing is copied.
  static void* grow(void* memory, std::size_t bytes, std::size_t wanted) {
    void* const room = take(wanted);
    void* const moved =
        mremap(memory, whole(bytes), whole(bytes), MREMAP_MAYMOVE | MREMAP_FIXED, room);
    if (moved != room) throw std::bad_alloc();
    return room;
  }

 private:
  static constexpr std::size_t whole(std::size_t bytes) noexcept {
    constexpr std::size_t longest_page = std::size_t{1} << 16;
    return (bytes + longest_page - 1) / longest_page * longest_page;
  }
};

/// Prefetches an object that lies in one or two cache lines.
template <class T>
void prefetch_all(const T& thing) {
  static_assert(sizeof(T) <= 128);
  const auto* const first = reinterpret_cast<const char*>(&thing);
  __builtin_prefetch(first);
  __builtin_prefetch(first + sizeof(T) - 1);
}

/// The index that stands for nothing.
inline constexpr std::uint32_t no_index = UINT32_MAX;

template <class T>
struct big_allocator {
  using value_type = T;

  big_allocator() = default;
  template <class U>
  constexpr big_allocator(const big_allocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    const auto bytes = count * sizeof(T);
    return static_cast<T*>(bytes < large_pages::page ? ::operator new(bytes, line)
                                                     : large_pages::take(bytes));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    const auto bytes = count * sizeof(T);
    if (bytes < large_pages::page)
      ::operator delete(memory, line);
    else
      large_pages::give(memory, bytes);
  }
  friend bool operator==(const big_allocator&, const big_allocator&) { return true; }

 private:
  static constexpr std::align_val_t line{64};
};

template <class T>
using big_vector = std::vector<T, big_allocator<T>>;

}  // namespace onehop::netsim
