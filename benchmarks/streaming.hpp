#pragma once
/// Stores that pass the caches. They take a line without asking for it first, which pays for lines
/// that another core has just read; the reader then finds them in memory or a shared cache.
///
/// They are not ordered with other stores: streaming_fence() before a flag is raised.

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace onehop::bench {

constexpr std::size_t line_words = 8;

#if defined(__x86_64__)
constexpr bool has_streaming_stores = true;

/// Stores 64 bytes; `target` lies on a line boundary.
inline void stream_line(std::byte* target, const std::uint64_t* line) noexcept {
  for (std::size_t i = 0; i < line_words; i += 2)
    _mm_stream_si128(reinterpret_cast<__m128i*>(target + i * sizeof(std::uint64_t)),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(line + i)));
}
inline void streaming_fence() noexcept { _mm_sfence(); }
#else
constexpr bool has_streaming_stores = false;

inline void stream_line(std::byte* target, const std::uint64_t* line) noexcept {
  std::memcpy(target, line, line_words * sizeof(std::uint64_t));
}
inline void streaming_fence() noexcept {}
#endif

/// memcpy with streaming stores for the whole lines of `target`.
void streaming_copy(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;

}  // namespace onehop::bench
