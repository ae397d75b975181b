#pragma once
/// Large arrays use large pages if the kernel grants them. Fewer addresses then have to be
/// translated, and the hardware prefetch of a stream does not stop after every 4 KiB.

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace app_common {

/// Requests large pages for those pages that lie wholly in this memory, which nobody has written to
/// yet.
inline void advise_large_pages([[maybe_unused]] void* memory,
                               [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t large_page = std::size_t{2} << 20U;
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(memory) % large_page;
  if (bytes >= before + large_page)
    madvise(static_cast<std::byte*>(memory) + before, (bytes - before) / large_page * large_page,
            MADV_HUGEPAGE);
#endif
}

template <class Number>
struct large_page_allocator {
  using value_type = Number;

  large_page_allocator() = default;
  template <class Other>
  explicit(false) large_page_allocator(const large_page_allocator<Other>& /*other*/) noexcept {}

  Number* allocate(std::size_t count) {
    Number* const memory = std::allocator<Number>().allocate(count);
    advise_large_pages(memory, count * sizeof(Number));
    return memory;
  }
  void deallocate(Number* memory, std::size_t count) noexcept {
    std::allocator<Number>().deallocate(memory, count);
  }
  bool operator==(const large_page_allocator&) const = default;
};

template <class Number>
using large_vector = std::vector<Number, large_page_allocator<Number>>;

}  // namespace app_common
