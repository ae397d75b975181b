#include "io/crc32.hpp"

#include <array>
#include <bit>

#include "io/byte_order.hpp"

namespace onehop::io {
namespace {

using crc_table = std::array<std::uint32_t, 256>;

// tables[k][b] is the effect of byte b followed by k zero bytes, so that eight bytes take eight
// independent look-ups instead of a chain of eight.
constexpr std::array<crc_table, 8> make_tables() {
  std::array<crc_table, 8> tables{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
    tables[0][b] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t b = 0; b < 256; ++b) {
      const std::uint32_t before = tables[k - 1][b];
      tables[k][b] = (before >> 8) ^ tables[0][before & 0xffU];
    }
  }
  return tables;
}
constexpr auto tables = make_tables();

std::uint32_t look_up_four(std::uint32_t word, std::size_t zeros_behind) noexcept {
  return tables[zeros_behind + 3][word & 0xffU] ^ tables[zeros_behind + 2][(word >> 8) & 0xffU] ^
         tables[zeros_behind + 1][(word >> 16) & 0xffU] ^ tables[zeros_behind][word >> 24];
}

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes) noexcept {
  std::uint32_t crc = 0xffffffffU;
  while (bytes.size() >= 8) {
    const std::uint32_t low = crc ^ load<std::uint32_t>(bytes.data(), std::endian::little);
    const auto high = load<std::uint32_t>(bytes.data() + 4, std::endian::little);
    crc = look_up_four(low, 4) ^ look_up_four(high, 0);
    bytes = bytes.subspan(8);
  }
  for (const std::byte b : bytes) {
    crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<std::uint32_t>(b)) & 0xffU];
  }
  return ~crc;
}

}  // namespace onehop::io
