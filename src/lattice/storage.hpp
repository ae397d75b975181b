#pragma once
/// How the numbers of a field are kept in memory.

#include <cstddef>
#include <cstdint>

namespace onehop {

/// `fixed16`: each site has one scale, a float, and its reals are multiples of scale / 32767;
/// arithmetic with them is done in float.
enum class storage : std::uint8_t { real64, real32, fixed16 };

/// Bytes of a real while it is computed with, and on its way to another rank.
constexpr std::size_t arithmetic_bytes(storage kind) noexcept {
  return kind == storage::real64 ? 8 : 4;
}

/// Bytes of a real where it is stored, without its share of a scale.
constexpr double stored_bytes(storage kind) noexcept {
  return kind == storage::fixed16 ? 2 : static_cast<double>(arithmetic_bytes(kind));
}

/// Bytes of a block: `reals` real numbers of each of `lanes` sites.
constexpr std::size_t block_bytes(storage kind, std::size_t reals, std::size_t lanes) noexcept {
  return kind == storage::fixed16 ? lanes * (sizeof(float) + reals * sizeof(std::int16_t))
                                  : lanes * reals * arithmetic_bytes(kind);
}

}  // namespace onehop
