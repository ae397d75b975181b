#pragma once
/// Copies names and other text to a caller's buffer.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

namespace onehop::mpi_abi {

/// Copies text to a caller's buffer of `most` characters, including the terminating zero.
inline void give_words(const std::string& words, char* to, int* length, int most) {
  const std::size_t size = std::min(words.size(), static_cast<std::size_t>(most) - 1);
  std::memcpy(to, words.data(), size);
  to[size] = '\0';
  if (length != nullptr) *length = static_cast<int>(size);
}

}  // namespace onehop::mpi_abi
