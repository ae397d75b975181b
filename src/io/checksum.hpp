#pragma once
/// The checksums of configuration files are accumulated piece by piece, in any order.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace onehop::io {

/// Computes the CRC-32 of ISO 3309 (reflected polynomial edb88320), as the SciDAC checksums use it.
std::uint32_t crc32(std::span<const std::byte> bytes) noexcept;

enum class checksum_kind : std::uint32_t {
  none,
  scidac,  ///< suma, sumb: crc32 of each site's bytes, rotated by site number mod 29 and 31, XORed
  nersc,   ///< sum of the 32-bit words
  milc,    ///< sum29, sum31: 32-bit words, rotated by word number mod 29 and 31, XORed
};

/// A partial_checksum covers some of the sites. It is trivially copyable, so that ranks can gather
/// and combine their parts.
struct partial_checksum {
  checksum_kind kind = checksum_kind::none;
  std::array<std::uint32_t, 2> words{};

  /// Adds consecutive sites starting with site number `first`, given as the bytes of the file.
  void add(std::uint64_t first, std::span<const std::byte> bytes, std::size_t site_bytes,
           std::endian order) noexcept;
  /// Adds the sites of another part; the two parts must not overlap.
  void combine(const partial_checksum& other) noexcept;
};

/// Returns the name of word number `word`: "SciDAC checksum suma", "NERSC checksum (CHECKSUM)", ...
const char* checksum_name(checksum_kind kind, std::size_t word) noexcept;
/// Returns how many of the words are in use: 0, 1 or 2.
std::size_t checksum_words(checksum_kind kind) noexcept;
/// Always writes eight digits, so that the length of a header does not depend on the value.
std::string hex(std::uint32_t word);
/// Returns a line such as "SciDAC checksum 10d0ea1a a6a1b3b8", empty for the kind none.
std::string checksum_text(const partial_checksum& sum);
/// Compares the checksum stated in a file with the one of its data; does nothing if the file states
/// none. Throws checksum_error naming both values.
void verify_checksum(const std::string& path, const partial_checksum& stated,
                     const partial_checksum& found);

}  // namespace onehop::io
