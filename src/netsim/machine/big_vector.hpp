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
    return static_cast<T*>(bytes < large_page ? ::operator new(bytes, line) : map(bytes));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    const auto bytes = count * sizeof(T);
    if (bytes < large_page)
      ::operator delete(memory, line);
    else
      munmap(memory, whole_pages(bytes));
  }
  friend bool operator==(const big_allocator&, const big_allocator&) { return true; }

 private:
  static constexpr std::align_val_t line{64};

  static constexpr std::size_t whole_pages(std::size_t bytes) noexcept {
    constexpr std::size_t longest_page = std::size_t{1} << 16;
    return (bytes + longest_page - 1) / longest_page * longest_page;
  }

  // The system gives whole large pages and takes them back at once: what a vector that has grown
  // leaves behind would else stay with the process.
  static void* map(std::size_t bytes) {
    const auto size = whole_pages(bytes), room = size + large_page;
    void* const found =
        mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) throw std::bad_alloc();
    auto* const first = static_cast<std::byte*>(found);
    const auto before = -reinterpret_cast<std::uintptr_t>(first) % large_page;
    if (before != 0) munmap(first, before);
    munmap(first + before + size, large_page - before);
    // Without large pages the result is the same, only slower.
    madvise(first + before, size, MADV_HUGEPAGE);
    return first + before;
  }
};

template <class T>
using big_vector = std::vector<T, big_allocator<T>>;

}  // namespace onehop::netsim
