#pragma once
/// Each use of a network's random numbers has a number of its own, so that no two uses draw the
/// same numbers.

#include <onehop/random.hpp>

#include <array>
#include <cstdint>

namespace spiking_network {

inline constexpr auto random_synapses = onehop::user_random(0);
inline constexpr auto random_stimuli = onehop::user_random(1);

/// Returns the four words of draw `number` for `item` of a use.
constexpr std::array<std::uint32_t, 4> random_words(std::uint64_t seed, onehop::random_use use,
                                                    std::uint32_t item, std::uint32_t number,
                                                    std::uint32_t group = 0) noexcept {
  return onehop::philox4x32(
      {item, number, group, static_cast<std::uint32_t>(use) << 24U},
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)});
}

/// Returns a number from 0 to count - 1 made from a random word; all are equally likely to count /
/// 2^32.
constexpr std::uint32_t below(std::uint32_t count, std::uint32_t word) noexcept {
  return static_cast<std::uint32_t>(std::uint64_t{word} * count >> 32U);
}

}  // namespace spiking_network
