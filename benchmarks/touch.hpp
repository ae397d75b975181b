#pragma once
/// Every byte of a face is written and read here, as by the kernels before and after an exchange.
///
/// The words of a face count up from a seed, so that the sum of the expected words has a closed
/// form: the reader only reads and adds.
///
/// The contenders of a program share one copy of the loops over words. If each had its own copy,
/// the address that the compiler gave to the copy could change the time of a step by up to a third.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "machine/streaming.hpp"

namespace onehop::bench {

using word = std::uint64_t;
constexpr std::size_t line_words = streaming_line_bytes / sizeof(word);
/// This is half a line. Without it, the compiler assembles these loops from shuffles.
using half_line [[gnu::vector_size(32)]] = word;
static_assert(2 * sizeof(half_line) == streaming_line_bytes);

inline word seed_of(word step, std::size_t face, int sender) {
  return step * 1000003 + face * 7919 + static_cast<word>(sender) * 104729;
}

/// Fills the bytes beyond the last whole word with those of the word that would follow.
inline void fill_tail(std::span<std::byte> face, word seed) {
  const std::size_t words = face.size() / sizeof(word);
  const word next = seed + words;
  std::memcpy(face.data() + words * sizeof(word), &next, face.size() % sizeof(word));
}

[[gnu::noinline, gnu::aligned(64)]] inline void fill(std::span<std::byte> face, word seed) {
  // A face may begin at any address, so that words are copied instead of stored as words.
  std::byte* const bytes = face.data();
  const std::size_t count = face.size() / sizeof(word);
  half_line next = seed + half_line{0, 1, 2, 3};
  std::size_t done = 0;
  for (; done + line_words <= count; done += line_words) {
    const half_line second = next + line_words / 2;
    std::memcpy(bytes + done * sizeof(word), &next, sizeof next);
    std::memcpy(bytes + done * sizeof(word) + sizeof next, &second, sizeof second);
    next += line_words;
  }
  for (; done < count; ++done) {
    const word one = seed + done;
    std::memcpy(bytes + done * sizeof(word), &one, sizeof one);
  }
  if (face.size() % sizeof(word) != 0) fill_tail(face, seed);
}

/// Stores a line, with one store if the processor that this file is compiled for has it.
inline void store_line(std::byte* target, const word* line) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(target), _mm512_loadu_si512(line));
#else
  stream_line(target, line);
#endif
}

/// Fills a face by stores that bypass the caches. `face` begins on a line.
[[gnu::noinline, gnu::aligned(64)]] inline void fill_streaming(std::span<std::byte> face,
                                                               word seed) {
  std::size_t done = 0;
  for (; done + line_words * sizeof(word) <= face.size(); done += line_words * sizeof(word)) {
    word line[line_words];
    for (std::size_t i = 0; i < line_words; ++i) line[i] = seed + done / sizeof(word) + i;
    store_line(face.data() + done, line);
  }
  fill(face.subspan(done), seed + done / sizeof(word));
}

inline word tail_of(std::span<const std::byte> face) {
  word tail = 0;
  const std::size_t whole = face.size() / sizeof(word) * sizeof(word);
  std::memcpy(&tail, face.data() + whole, face.size() - whole);
  return tail;
}

[[gnu::noinline, gnu::aligned(64)]] inline word sum(std::span<const std::byte> face) {
  const std::byte* const bytes = face.data();
  const std::size_t count = face.size() / sizeof(word);
  half_line first = {}, second = {};
  std::size_t done = 0;
  for (; done + line_words <= count; done += line_words) {
    half_line here, next;
    std::memcpy(&here, bytes + done * sizeof(word), sizeof here);
    std::memcpy(&next, bytes + done * sizeof(word) + sizeof here, sizeof next);
    first += here;
    second += next;
  }
  const half_line both = first + second;
  word total = both[0] + both[1] + both[2] + both[3];
  for (; done < count; ++done) {
    word one;
    std::memcpy(&one, bytes + done * sizeof(word), sizeof one);
    total += one;
  }
  return face.size() % sizeof(word) == 0 ? total : total + tail_of(face);
}

inline word expected_sum(std::size_t bytes, word seed) {
  const word count = bytes / sizeof(word);
  word tail = 0;
  const word next = seed + count;
  std::memcpy(&tail, &next, bytes % sizeof(word));
  return count * seed + count * (count - 1) / 2 + tail;
}

/// Compares byte by byte.
inline std::uint64_t count_wrong(std::span<const std::byte> face, word seed) {
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < face.size(); ++i) {
    const word expected = seed + i / sizeof(word);
    std::byte bytes[sizeof(word)];
    std::memcpy(bytes, &expected, sizeof bytes);
    wrong += face[i] != bytes[i % sizeof(word)];
  }
  return wrong;
}

/// Reads and adds a face; wrong bytes are counted only if the sum is wrong.
inline std::uint64_t read_face(std::span<const std::byte> face, word seed) {
  if (sum(face) == expected_sum(face.size(), seed)) [[likely]]
    return 0;
  // The bytes may have become right in the meantime. They are wrong nevertheless, because they came
  // late.
  const std::uint64_t wrong = count_wrong(face, seed);
  return wrong == 0 ? 1 : wrong;
}

}  // namespace onehop::bench
