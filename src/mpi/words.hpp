#pragma once
/// Names and other words go where the caller has room for them.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

namespace onehop::mpi_abi {

/// Writes words where the caller has room for `most` characters, the last of which is 0.
inline void give_words(const std::string& words, char* to, int* length, int most) {
  const std::size_t size = std::min(words.size(), static_cast<std::size_t>(most) - 1);
  std::memcpy(to, words.data(), size);
  to[size] = '\0';
  if (length != nullptr) *length = static_cast<int>(size);
}

}  // namespace onehop::mpi_abi
