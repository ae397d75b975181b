#pragma once
/// This file makes messages from pieces of any printable type.

#include <sstream>
#include <string>
#include <string_view>

namespace onehop {

template <class... Pieces>
std::string text(const Pieces&... pieces) {
  std::ostringstream out;
  out.precision(12);
  (out << ... << pieces);
  return std::move(out).str();
}

/// Returns "1 rank" or "2 ranks".
template <class Number>
std::string counted(const Number& number, std::string_view noun) {
  return text(number, ' ', noun, number == Number{1} ? "" : "s");
}

}  // namespace onehop
