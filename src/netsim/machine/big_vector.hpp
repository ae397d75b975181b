#pragma once
/// A big_vector holds what the whole machine has of a kind: a large one takes large pages.

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "netsim/machine/large_pages.hpp"

namespace onehop::netsim {

/// The number of nothing, where things are numbered.
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
