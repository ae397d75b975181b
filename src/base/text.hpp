#pragma once
/// Makes messages from pieces of any printable type.

#include <sstream>
#include <string>

namespace onehop {

template <class... Pieces>
std::string text(const Pieces&... pieces) {
  std::ostringstream out;
  out.precision(12);
  (out << ... << pieces);
  return std::move(out).str();
}

}  // namespace onehop
