#include "machine/copy_bytes.hpp"

namespace onehop {

// A load waits for an earlier store whose address has the same last 12 bits. The last line is
// therefore copied first, so that every further line lies before the one just stored.
void copy_by_lines(void* target, const void* source, std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  auto* const to = static_cast<std::byte*>(target);
  const auto* const from = static_cast<const std::byte*>(source);
  for (; bytes >= line; bytes -= line) std::memcpy(to + bytes - line, from + bytes - line, line);
  std::memcpy(to, from, bytes);
}

}  // namespace onehop
