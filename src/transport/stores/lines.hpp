#pragma once
/// These functions advise the caches about a range of lines. None of them changes a byte.

#include <cstddef>

#include "transport/stores/control_block.hpp"

namespace onehop::stores {

/// Prefetches lines in order to write to them.
inline void prefetch_for_write(const std::byte* begin, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += line_bytes) {
#if defined(__x86_64__)
    // The builtin gives this instruction only with a compiler flag, and g++ 12 drops a function
    // that does nothing else. Processors that do not know the instruction do nothing.
    asm volatile("prefetchw %0" : : "m"(begin[at]));
#else
    __builtin_prefetch(begin + at, 1);
#endif
  }
}

/// Prefetches lines in order to read them.
inline void prefetch_for_read(const std::byte* begin, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += line_bytes) __builtin_prefetch(begin + at);
}

/// Demotes lines that have been written to the cache that all cores share, where a reader finds
/// them sooner than in the writer's own.
inline void demote(const std::byte* begin, std::size_t bytes) noexcept {
#if defined(__x86_64__)
  // Processors that do not know the instruction do nothing.
  for (std::size_t at = 0; at < bytes; at += line_bytes)
    asm volatile("cldemote %0" : : "m"(begin[at]));
#else
  static_cast<void>(begin), static_cast<void>(bytes);
#endif
}

}  // namespace onehop::stores
