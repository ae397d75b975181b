#pragma once
/// This file loads and stores numbers in the byte order of a file.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace onehop::io {

constexpr std::uint32_t reversed(std::uint32_t word) noexcept { return __builtin_bswap32(word); }
constexpr std::uint64_t reversed(std::uint64_t word) noexcept { return __builtin_bswap64(word); }

/// `Word` is std::uint32_t or std::uint64_t.
template <class Word>
Word load(const std::byte* from, std::endian order) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return order == std::endian::native ? word : reversed(word);
}

template <class Word>
void store(std::byte* to, Word word, std::endian order) noexcept {
  if (order != std::endian::native) word = reversed(word);
  std::memcpy(to, &word, sizeof word);
}

/// A real_format says how a file stores real numbers.
struct real_format {
  int bits = 64;  ///< 32 or 64
  std::endian order = std::endian::big;

  std::size_t bytes() const noexcept { return static_cast<std::size_t>(bits) / 8; }
};

inline double load_real(const std::byte* from, const real_format& format) noexcept {
  if (format.bits == 32) {
    return static_cast<double>(std::bit_cast<float>(load<std::uint32_t>(from, format.order)));
  }
  return std::bit_cast<double>(load<std::uint64_t>(from, format.order));
}

/// Stores a number, rounded to the nearest value of the format.
inline void store_real(std::byte* to, double value, const real_format& format) noexcept {
  if (format.bits == 32) {
    store(to, std::bit_cast<std::uint32_t>(static_cast<float>(value)), format.order);
  } else {
    store(to, std::bit_cast<std::uint64_t>(value), format.order);
  }
}

}  // namespace onehop::io
