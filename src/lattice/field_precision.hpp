#pragma once
/// A field_precision says how the numbers of a field are stored in memory.

#include <cstddef>
#include <cstdint>

namespace onehop {

/// In `half`, each site has one scale, a float, and its reals are multiples of scale / 32767;
/// arithmetic is done in float.
enum class field_precision : std::uint8_t { double_, single, half };

/// In half precision a real equal to its site's scale has this value.
inline constexpr float fixed_one = 32767.0F;

/// Returns the bytes of a real during computation and when sent to another rank.
constexpr std::size_t arithmetic_bytes(field_precision kind) noexcept {
  return kind == field_precision::double_ ? 8 : 4;
}

/// Returns the bytes of a stored real, without its share of a scale.
constexpr double stored_bytes(field_precision kind) noexcept {
  return kind == field_precision::half ? 2 : static_cast<double>(arithmetic_bytes(kind));
}

/// Returns the bytes of a block: `reals` real numbers of each of `lanes` sites.
constexpr std::size_t block_bytes(field_precision kind, std::size_t reals,
                                  std::size_t lanes) noexcept {
  return kind == field_precision::half ? lanes * (sizeof(float) + reals * sizeof(std::int16_t))
                                       : lanes * reals * arithmetic_bytes(kind);
}

}  // namespace onehop
