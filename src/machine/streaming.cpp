#include "machine/streaming.hpp"

#include <algorithm>

namespace onehop {
namespace {

constexpr std::size_t line_bytes = streaming_line_bytes;

/// A lines_copy copies whole cache lines; `target` is aligned to a line.
using lines_copy = void (*)(std::byte*, const std::byte*, std::size_t);

void copy_lines(std::byte* target, const std::byte* source, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += line_bytes) stream_line(target + i, source + i);
}

#if defined(__x86_64__)
// One store per line leaves no half-written line in the write-combining buffers.
[[gnu::target("avx512f")]] void copy_lines_avx512(std::byte* target, const std::byte* source,
                                                  std::size_t bytes) {
  using vector [[gnu::vector_size(64), gnu::aligned(64)]] = long long;
  using unaligned [[gnu::vector_size(64), gnu::aligned(1), gnu::may_alias]] = long long;
  for (std::size_t i = 0; i < bytes; i += line_bytes)
    __builtin_ia32_movntdq512(reinterpret_cast<vector*>(target + i),
                              static_cast<vector>(*reinterpret_cast<const unaligned*>(source + i)));
}
#endif

lines_copy choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return copy_lines_avx512;
#endif
  return copy_lines;
}

// The choice is made before main, because start must not meet a lock.
const lines_copy chosen = choose();

}  // namespace

void streaming_copy(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  const lines_copy lines = chosen;
  const auto address = reinterpret_cast<std::uintptr_t>(target);
  const std::size_t head = std::min((line_bytes - address % line_bytes) % line_bytes, bytes);
  const std::size_t body = (bytes - head) / line_bytes * line_bytes;
  std::memcpy(target, source, head);
  lines(target + head, source + head, body);
  std::memcpy(target + head + body, source + head + body, bytes - head - body);
}

}  // namespace onehop
