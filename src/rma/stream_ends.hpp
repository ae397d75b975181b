#pragma once
/// The two ends of a stream, producer and consumer, determine here who may touch which block.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rma/stream_block.hpp"
#include "rma/stream_blocks.hpp"

namespace onehop {

/// A stream_sender holds the blocks for one consumer, which a producer writes in turn.
struct stream_sender {
  int consumer;
  std::vector<std::unique_ptr<sending_block>> blocks;
  stream_block_writer writer;
  std::size_t current = 0;  ///< index of the block that is written now or next
  bool reserved = false;
  std::size_t reserved_bytes = 0;
  bool sent_any = false, closed = false;

  sending_block& block() { return *blocks[current]; }
  /// Returns whether the consumer has taken and released the block before the current one.
  bool consumer_is_idle() {
    return !sent_any || blocks[(current + blocks.size() - 1) % blocks.size()]->free();
  }
  /// Begins a block if none is begun. Returns false while the consumer has all of them.
  bool open() {
    if (writer.open()) return true;
    if (!block().free()) return false;
    writer.begin(block().memory());
    return true;
  }
  void send_block(bool last = false) {
    block().send(writer.finish(last));
    current = (current + 1) % blocks.size();
    sent_any = true;
    closed = last;
  }
  bool has_space_for(std::size_t bytes) {
    if (!open()) return false;
    if (writer.has_room(bytes)) return true;
    send_block();
    return open();
  }
  bool gone() const {
    return std::ranges::all_of(blocks, [](const auto& one) { return one->gone(); });
  }
  bool holds_back() const { return writer.open() && writer.items() > 0 && !reserved; }
  /// Sends the block if the consumer is idle. A consumer that still has a block to read gains
  /// nothing from a short one, and items that wait for it travel together.
  void send_if_idle() {
    if (holds_back() && consumer_is_idle()) send_block();
  }
};

/// A stream_receiver holds the blocks of one producer, which a consumer reads in turn.
struct stream_receiver {
  struct block {
    std::unique_ptr<arriving_block> memory;
    std::uint32_t held = 0;  ///< number of items taken and not yet released
    bool read = false;       ///< read to its end, and not yet given back
  };
  int producer;
  std::vector<block> blocks;
  stream_block_reader reader;
  std::size_t current = 0;  ///< index of the block that is read now or next
  bool reading = false;
  bool ended = false;

  /// Returns whether there is an item to take.
  bool has_item() {
    if (reading) return true;
    block& next = blocks[current];
    if (ended || next.read || !next.memory->here()) return false;
    reader.begin(next.memory->bytes());
    reading = true;
    if (reader.done()) end_block();
    return reading;
  }
  std::span<const std::byte> take() {
    ++blocks[current].held;
    const std::span<const std::byte> bytes = reader.take();
    if (reader.done()) end_block();
    return bytes;
  }
  void end_block() {
    reading = false;
    ended = reader.last();
    blocks[current].read = true;
    current = (current + 1) % blocks.size();
  }
  void release(block& of) {
    if (--of.held > 0 || !of.read || ended) return;
    of.read = false;
    of.memory->give_back();
  }
};

}  // namespace onehop
