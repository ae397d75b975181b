#pragma once
/// A block of a stream holds a header, the aligned items, and their sizes if these differ.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace onehop {

struct stream_block_header {
  std::uint64_t sizes_at;  ///< offset of the sizes in the block; 0 if all items have one size
  std::uint32_t items;
  std::uint32_t size;  ///< size of every item, if all have the same
  std::uint32_t last;  ///< 1 if the producer has closed
};

/// The header takes this many bytes, so that the first item begins a cache line.
constexpr std::size_t stream_header_bytes = 64;
constexpr std::size_t stream_alignment = 16;

constexpr std::size_t aligned_item(std::size_t bytes) {
  return (bytes + stream_alignment - 1) / stream_alignment * stream_alignment;
}
/// Returns the bytes of the smallest block with room for one item of `item_bytes`.
constexpr std::size_t stream_block_for(std::size_t item_bytes) {
  return stream_header_bytes + aligned_item(item_bytes) + sizeof(std::uint32_t);
}

/// A stream_block_writer writes one block after another, each into separate memory.
class stream_block_writer {
 public:
  explicit stream_block_writer(std::size_t block_bytes);

  void begin(std::byte* block) noexcept;
  bool open() const noexcept { return block_ != nullptr; }
  std::size_t items() const noexcept { return items_; }
  bool has_room(std::size_t bytes) const noexcept {
    return used_ + aligned_item(bytes) + (items_ + 1) * sizeof(std::uint32_t) <= capacity_;
  }
  /// Returns where the next item is written.
  std::byte* place() const noexcept { return block_ + used_; }
  void add(std::size_t bytes) {
    sizes_[items_++] = static_cast<std::uint32_t>(bytes);
    alike_ &= sizes_[0] == bytes;
    used_ += aligned_item(bytes);
  }
  /// Ends the block and returns its bytes.
  std::size_t finish(bool last) noexcept;

 private:
  std::size_t capacity_;
  std::byte* block_ = nullptr;
  std::size_t used_ = 0, items_ = 0;
  bool alike_ = true;  ///< all items so far have one size
  std::vector<std::uint32_t> sizes_;
};

/// A stream_block_reader reads the items of a block one after another.
class stream_block_reader {
 public:
  void begin(std::span<const std::byte> block) noexcept;
  bool done() const noexcept { return left_ == 0; }
  bool last() const noexcept { return last_; }
  std::span<const std::byte> take() noexcept;

 private:
  const std::byte* at_ = nullptr;
  const std::byte* sizes_ = nullptr;  ///< sizes of the items left; null if all have one size
  std::uint32_t size_ = 0, left_ = 0;
  bool last_ = false;
};

}  // namespace onehop
