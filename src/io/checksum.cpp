#include "io/checksum.hpp"

#include <array>
#include <bit>
#include <iomanip>
#include <onehop/error.hpp>
#include <sstream>

#include "base/text.hpp"
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

void add_rotated(std::array<std::uint32_t, 2>& sums, std::uint32_t value,
                 std::uint64_t number) noexcept {
  sums[0] ^= std::rotl(value, static_cast<int>(number % 29));
  sums[1] ^= std::rotl(value, static_cast<int>(number % 31));
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

void partial_checksum::add(std::uint64_t first, std::span<const std::byte> bytes,
                           std::size_t site_bytes, std::endian order) noexcept {
  if (kind == checksum_kind::none) return;
  if (kind == checksum_kind::scidac) {
    for (std::size_t at = 0; at < bytes.size(); at += site_bytes) {
      add_rotated(words, crc32(bytes.subspan(at, site_bytes)), first++);
    }
    return;
  }
  std::uint64_t number = first * (site_bytes / 4);
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    const auto word = load<std::uint32_t>(bytes.data() + at, order);
    if (kind == checksum_kind::nersc) {
      words[0] += word;
    } else {
      add_rotated(words, word, number++);
    }
  }
}

void partial_checksum::combine(const partial_checksum& other) noexcept {
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (kind == checksum_kind::nersc) {
      words[w] += other.words[w];
    } else {
      words[w] ^= other.words[w];
    }
  }
}

const char* checksum_name(checksum_kind kind, std::size_t word) noexcept {
  switch (kind) {
    case checksum_kind::scidac:
      return word == 0 ? "SciDAC checksum suma" : "SciDAC checksum sumb";
    case checksum_kind::nersc:
      return "NERSC checksum (CHECKSUM)";
    case checksum_kind::milc:
      return word == 0 ? "MILC checksum sum29" : "MILC checksum sum31";
    case checksum_kind::none:
      break;
  }
  return "no checksum";
}

std::size_t checksum_words(checksum_kind kind) noexcept {
  if (kind == checksum_kind::none) return 0;
  return kind == checksum_kind::nersc ? 1 : 2;
}

std::string hex(std::uint32_t word) {
  std::ostringstream out;
  out << std::hex << std::setw(8) << std::setfill('0') << word;
  return std::move(out).str();
}

std::string checksum_text(const partial_checksum& sum) {
  if (sum.kind == checksum_kind::none) return {};
  const std::string name = sum.kind == checksum_kind::scidac  ? "SciDAC"
                           : sum.kind == checksum_kind::nersc ? "NERSC"
                                                              : "MILC";
  std::string words = name + " checksum";
  for (std::size_t w = 0; w < checksum_words(sum.kind); ++w) words += ' ' + hex(sum.words[w]);
  return words;
}

void verify_checksum(const std::string& path, const partial_checksum& stated,
                     const partial_checksum& found) {
  for (std::size_t w = 0; w < checksum_words(stated.kind); ++w) {
    if (found.words[w] == stated.words[w]) continue;
    throw checksum_error(text(path, ": ", checksum_name(stated.kind, w), " is ",
                              hex(stated.words[w]), " in the file, but its data give ",
                              hex(found.words[w]), "; the file is damaged, fetch it again"));
  }
}

}  // namespace onehop::io
