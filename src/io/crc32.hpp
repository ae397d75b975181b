#pragma once
/// Computes the CRC-32 of ISO 3309 (reflected polynomial edb88320), as the SciDAC checksums use it.

#include <cstddef>
#include <cstdint>
#include <span>

namespace onehop::io {

std::uint32_t crc32(std::span<const std::byte> bytes) noexcept;

}  // namespace onehop::io
