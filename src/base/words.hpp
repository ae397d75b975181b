#pragma once
/// This file parses words, such as settings and environment variables, and quotes them.

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace onehop {

/// Returns the number that `word` is, or nothing if it is anything else or has extra characters.
template <class Number>
std::optional<Number> number_from(std::string_view word) noexcept {
  Number number{};
  const char* const end = word.data() + word.size();
  const auto [last, code] = std::from_chars(word.data(), end, number);
  return code == std::errc{} && last == end ? std::optional(number) : std::nullopt;
}

/// Removes the part before `mark`, and the mark, from the front of `rest`, and returns that part.
inline std::string_view take_until(std::string_view& rest, char mark) noexcept {
  const std::string_view taken = rest.substr(0, rest.find(mark));
  rest.remove_prefix(std::min(rest.size(), taken.size() + 1));
  return taken;
}

/// Returns `words`, or as much of them as fits in about `most` bytes, as a JSON string.
inline std::string quoted(std::string_view words, std::size_t most = std::string::npos) {
  std::string all = "\"";
  for (const char each : words) {
    if (all.size() >= most) break;
    if (each == '"' || each == '\\') all += '\\';
    // JSON forbids control characters inside a string.
    all += static_cast<unsigned char>(each) < ' ' ? ' ' : each;
  }
  return all + '"';
}

}  // namespace onehop
