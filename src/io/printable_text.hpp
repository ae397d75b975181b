#pragma once
/// Text from files may contain any bytes; this file makes it safe for a terminal.

#include <string>
#include <string_view>

namespace onehop::io {

/// Returns the text with each byte that is not printable ASCII written as \x1b: a damaged header
/// may contain bytes that are not text, and a hostile one may contain terminal escapes.
inline std::string printable(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  shown.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      shown += c;
    } else {
      shown += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    }
  }
  return shown;
}

}  // namespace onehop::io
