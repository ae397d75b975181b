#include "rma/stream_block.hpp"

#include <cstring>

namespace onehop {

// Items may be empty; then room is needed only for their sizes.
stream_block_writer::stream_block_writer(std::size_t block_bytes)
    : capacity_(block_bytes), sizes_((block_bytes - stream_header_bytes) / sizeof(std::uint32_t)) {}

void stream_block_writer::begin(std::byte* block) noexcept {
  block_ = block;
  used_ = stream_header_bytes;
  items_ = 0;
  alike_ = true;
}

std::size_t stream_block_writer::finish(bool last) noexcept {
  const stream_block_header header{alike_ ? 0 : used_, static_cast<std::uint32_t>(items_),
                                   items_ > 0 ? sizes_[0] : 0, last};
  std::memcpy(block_, &header, sizeof header);
  const std::size_t size_bytes = alike_ ? 0 : items_ * sizeof(std::uint32_t);
  if (!alike_) std::memcpy(block_ + used_, sizes_.data(), size_bytes);
  block_ = nullptr;
  return used_ + size_bytes;
}

void stream_block_reader::begin(std::span<const std::byte> block) noexcept {
  stream_block_header header;
  std::memcpy(&header, block.data(), sizeof header);
  at_ = block.data() + stream_header_bytes;
  sizes_ = header.sizes_at == 0 ? nullptr : block.data() + header.sizes_at;
  size_ = header.size;
  left_ = header.items;
  last_ = header.last != 0;
}

std::span<const std::byte> stream_block_reader::take() noexcept {
  if (sizes_ != nullptr) {
    std::memcpy(&size_, sizes_, sizeof size_);
    sizes_ += sizeof size_;
  }
  const std::span<const std::byte> item(at_, size_);
  at_ += aligned_item(size_);
  --left_;
  return item;
}

}  // namespace onehop
