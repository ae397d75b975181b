#pragma once
/// Streaming stores bypass the caches. They write a line without reading it first, which pays if
/// another core has just read the line and is far away; the reader then finds it in memory or in a
/// shared cache.
///
/// Streaming stores are not ordered with other stores, so streaming_fence() must come between them
/// and the store that announces them. put_chain::start calls it for the puts for which
/// put_chain::streaming is true.

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace onehop {

constexpr std::size_t streaming_line_bytes = 64;

#if defined(__x86_64__)
constexpr bool has_streaming_stores = true;

/// Stores streaming_line_bytes bytes; `target` has the same alignment.
inline void stream_line(std::byte* target, const void* line) noexcept {
  const auto* const from = static_cast<const __m128i*>(line);
  auto* const to = reinterpret_cast<__m128i*>(target);
  for (std::size_t i = 0; i < streaming_line_bytes / sizeof(__m128i); ++i)
    _mm_stream_si128(to + i, _mm_loadu_si128(from + i));
}
inline void streaming_fence() noexcept { _mm_sfence(); }
#else
constexpr bool has_streaming_stores = false;

inline void stream_line(std::byte* target, const void* line) noexcept {
  std::memcpy(target, line, streaming_line_bytes);
}
inline void streaming_fence() noexcept {}
#endif

/// Copies like memcpy, using streaming stores for the whole lines of `target`.
void streaming_copy(std::byte* target, const std::byte* source, std::size_t bytes) noexcept;

}  // namespace onehop
