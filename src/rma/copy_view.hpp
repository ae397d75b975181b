#pragma once
#include <onehop/put.hpp>

#include "machine/copy_bytes.hpp"
#include "machine/streaming.hpp"

namespace onehop {

/// Returns whether the bytes lie without gaps, in the order in which they are sent.
inline bool is_contiguous(const local_view& view) noexcept {
  return view.blocks == 1 || view.stride_bytes == static_cast<std::ptrdiff_t>(view.block_bytes);
}

/// Copies the blocks of `source` end to end to `target`.
inline void copy_view(const local_view& source, std::byte* target) noexcept {
  const std::byte* block = source.data;
  for (std::size_t i = 0; i < source.blocks; ++i, block += source.stride_bytes)
    copy_bytes(target + i * source.block_bytes, block, source.block_bytes);
}

/// Copies the blocks of `source` end to end to `target` with stores that bypass the caches.
inline void stream_view(const local_view& source, std::byte* target) noexcept {
  const std::byte* block = source.data;
  for (std::size_t i = 0; i < source.blocks; ++i, block += source.stride_bytes)
    streaming_copy(target + i * source.block_bytes, block, source.block_bytes);
}

}  // namespace onehop
