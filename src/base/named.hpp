#pragma once
/// This file makes the words by which messages name a value that all ranks must give alike.

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/text.hpp"

namespace onehop {

/// Returns text such as "beta 5.7", with all digits needed to distinguish numbers.
template <class Value>
std::string named(std::string_view name, const Value& value) {
  if constexpr (std::is_floating_point_v<Value>) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return text(name, ' ', std::string_view(digits.data(), end));
  } else {
    return text(name, ' ', value);
  }
}

}  // namespace onehop
