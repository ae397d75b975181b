#include "base/philox.hpp"

#include <cmath>
#include <numbers>

namespace onehop {
namespace {

constexpr std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high(std::uint64_t value) { return low(value >> 32); }

/// The middles of 2^52 equal intervals, so that 0 and 1 are never reached: with 2^53 of them the
/// last one would round to 1.
double open_uniform(std::uint32_t top, std::uint32_t bottom) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(top) << 32 | bottom) >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

site_random::site_random(std::uint64_t seed, random_use use, std::uint64_t stream,
                         std::uint64_t site) noexcept
    : key_{low(seed), high(seed)} {
  const std::uint64_t tagged = stream | static_cast<std::uint64_t>(use) << 56;
  // The upper half of the second word counts the draws.
  counter_ = {low(site), high(site) & 0xFFFF, low(tagged), high(tagged)};
}

std::array<double, 2> site_random::uniform_pair() noexcept {
  const auto bits = philox4x32(counter_, key_);
  counter_[1] += 0x10000;
  return {open_uniform(bits[0], bits[1]), open_uniform(bits[2], bits[3])};
}

std::array<double, 2> site_random::gaussian_pair() noexcept {
  const auto [u, v] = uniform_pair();
  const double radius = std::sqrt(-2.0 * std::log(u));
  const double angle = 2.0 * std::numbers::pi * v;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace onehop
