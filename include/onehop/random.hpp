#pragma once
/// Random numbers are counter-based: every number is a function of (seed, use, stream, site, draw),
/// so it does not matter which rank requests it, or when. The generator is in the header so that
/// the compiler can vectorise a caller's loop over sites.

#include <onehop/detail/language.hpp>

#include <array>
#include <cstdint>

namespace onehop {

/// Computes 128 random bits from a counter and a key with 10 rounds of Philox4x32 (Salmon, Moraes,
/// Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11).
constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32U) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32U) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// A random_use says what a stream is used for. Two uses of one seed never share numbers. Uses
/// below 128 are reserved for onehop; programs get theirs from user_random.
enum class random_use : std::uint8_t { hot_start, heatbath, source, noise_wall };
/// Returns a use that belongs to the program; number must be from 0 to 127.
constexpr random_use user_random(int number) noexcept {
  return static_cast<random_use>(128 + number);
}

/// A site_random draws the random numbers of one site in one stream, one after the other.
class site_random {
 public:
  /// `stream` is below 2^56, `site` (a global index) below 2^48. At most 65536 pairs can be drawn.
  constexpr site_random(std::uint64_t seed, random_use use, std::uint64_t stream,
                        std::uint64_t site) noexcept
      : counter_{low(site), high(site) & 0xFFFF, low(stream),
                 high(stream) | static_cast<std::uint32_t>(use) << 24U},
        key_{low(seed), high(seed)} {}

  /// Draws two independent doubles, uniform in (0,1): neither end occurs.
  constexpr std::array<double, 2> uniform_pair() noexcept {
    const auto bits = philox4x32(counter_, key_);
    // The upper half of this counter word counts the draws.
    counter_[1] += 0x10000;
    return {open_uniform(bits[0], bits[1]), open_uniform(bits[2], bits[3])};
  }
  /// Draws two independent Gaussians of mean 0 and variance 1 (Box and Muller).
  std::array<double, 2> gaussian_pair() noexcept;

 private:
  static constexpr std::uint32_t low(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
  }
  static constexpr std::uint32_t high(std::uint64_t value) { return low(value >> 32U); }
  /// Returns the midpoint of one of 2^52 equal intervals, so 0 and 1 are never reached. With 2^53
  /// intervals, the last midpoint would round to 1.
  static constexpr double open_uniform(std::uint32_t top, std::uint32_t bottom) {
    const std::uint64_t bits = (static_cast<std::uint64_t>(top) << 32U | bottom) >> 12U;
    return (static_cast<double>(bits) + 0.5) * 0x1p-52;
  }

  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 2> key_;
};

}  // namespace onehop
