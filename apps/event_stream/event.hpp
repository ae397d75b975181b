#pragma once
/// An event is what a detector saw at one moment. Every source has a part of it, a fragment: a
/// header, the hits that this source saw, and a payload.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace event_stream {

/// A hit is a point on a plane of 65536 by 65536 places.
struct hit {
  std::uint16_t x, y;
};

/// An event has at most this many hits.
inline constexpr std::size_t most_hits = 32;

struct fragment_header {
  std::uint64_t event;    ///< number of the event, from 0
  std::uint64_t time_ns;  ///< time stamp: when the event happened, from the beginning of the run
  std::uint16_t source, hits;
  std::uint32_t checksum;  ///< see checksum_of
};
static_assert(sizeof(fragment_header) == 24);

inline constexpr std::size_t word_bytes = sizeof(std::uint64_t);
/// A fragment, and therefore a datagram, has at most this many bytes.
inline constexpr std::size_t most_fragment_bytes = 8960;

constexpr std::size_t hit_bytes(std::size_t hits) {
  return (hits * sizeof(hit) + word_bytes - 1) / word_bytes * word_bytes;
}
/// Returns the bytes of a fragment; the bytes of its payload are a multiple of eight.
constexpr std::size_t fragment_bytes(std::size_t hits, std::size_t payload_bytes) {
  return sizeof(fragment_header) + hit_bytes(hits) + payload_bytes;
}

namespace detail {
/// Generates odd factors by the steps of splitmix64.
constexpr auto checksum_factors() {
  std::array<std::uint64_t, most_fragment_bytes / word_bytes> made{};
  std::uint64_t state = 0x6f6e65686f70;
  for (std::uint64_t& factor : made) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27U) * 0x94d049bb133111eb;
    factor = (z ^ z >> 31U) | 1U;
  }
  return made;
}
inline constexpr auto factors = checksum_factors();
}  // namespace detail

/// Returns the checksum of a fragment, in which the checksum field itself counts as 0. It is the
/// upper half of the sum of words times factors. The factors differ from place to place, so that a
/// word that is changed or exchanged with another one changes the sum.
inline std::uint32_t checksum_of(std::span<const std::byte> fragment) {
  const auto word = [&](std::size_t k) {
    std::uint64_t value;
    std::memcpy(&value, fragment.data() + k * word_bytes, word_bytes);
    return value;
  };
  constexpr std::size_t with_checksum = 2;
  constexpr std::uint64_t others = 0xffffffff;
  std::uint64_t sum = detail::factors[0] * word(0) + detail::factors[1] * word(1) +
                      detail::factors[with_checksum] * (word(with_checksum) & others);
  for (std::size_t k = with_checksum + 1; k < fragment.size() / word_bytes; ++k)
    sum += detail::factors[k] * word(k);
  return static_cast<std::uint32_t>(sum >> 32U);
}

}  // namespace event_stream
