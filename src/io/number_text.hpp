#pragma once
/// Numbers are parsed strictly: the text must contain nothing but the number.

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/words.hpp"

namespace onehop::io {

inline std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks(" \t\r\n\v\f\0", 7);
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Reads an integer; for `base` 16 a leading 0x is allowed.
template <class Integer>
std::optional<Integer> integer_from(std::string_view text, int base = 10) noexcept {
  text = trimmed(text);
  if (base == 16 && (text.starts_with("0x") || text.starts_with("0X"))) text.remove_prefix(2);
  Integer value{};
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (trouble != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Reads a real number, which must be finite.
inline std::optional<double> real_from(std::string_view text) noexcept {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto value = number_from<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Returns one unit of the last digit printed: 0.001 for "0.594", 1e-9 for "5.938e-6".
inline double unit_of_last_digit(std::string_view text) noexcept {
  text = trimmed(text);
  const auto e = text.find_first_of("eE");
  const auto mantissa = text.substr(0, e);
  const auto point = mantissa.find('.');
  int exponent = 0;
  if (e != std::string_view::npos) {
    auto digits = text.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    exponent = integer_from<int>(digits).value_or(0);
  }
  if (point != std::string_view::npos) exponent -= static_cast<int>(mantissa.size() - point - 1);
  return std::pow(10.0, exponent);
}

}  // namespace onehop::io
