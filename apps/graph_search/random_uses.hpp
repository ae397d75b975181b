#pragma once
/// Each use of a benchmark's random numbers has a number of its own, so that no two uses draw the
/// same numbers.

#include <onehop/random.hpp>

namespace graph_search {

inline constexpr auto random_edges = onehop::user_random(0);
inline constexpr auto random_labels = onehop::user_random(1);
inline constexpr auto random_roots = onehop::user_random(2);

/// Returns the four words of draw `group` for item `item` of a use; item is below 2^48, group below
/// 2^16.
constexpr std::array<std::uint32_t, 4> random_words(std::uint64_t seed, onehop::random_use use,
                                                    std::uint64_t item,
                                                    std::uint32_t group) noexcept {
  return onehop::philox4x32(
      {static_cast<std::uint32_t>(item), static_cast<std::uint32_t>(item >> 32U) | group << 16U, 0,
       static_cast<std::uint32_t>(use) << 24U},
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)});
}

}  // namespace graph_search
