#include "machine/copy_bytes.hpp"

namespace onehop {

// A load waits for an earlier store whose address ends in the same 12 bits, so that the last line
// is copied first: every line lies before what was just stored.
void copy_by_lines(void* target, const void* source, std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  auto* const to = static_cast<std::byte*>(target);
  const auto* const from = static_cast<const std::byte*>(source);
  for (; bytes >= line; bytes -= line) std::memcpy(to + bytes - line, from + bytes - line, line);
  std::memcpy(to, from, bytes);
}

}  // namespace onehop
