#pragma once
/// A stream carries items of any size from producers to consumers. Consumers need no start for an
/// item, and producers may run ahead of them as far as there is room.

#include <onehop/context.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace onehop {

struct stream_options {
  /// No item may have more bytes than this.
  std::size_t largest_item = 1024;
  /// At most this many bytes travel together, including 64 of header and 4 for each item. 0 selects
  /// 32 KiB, or what one item of the largest size needs if that is more.
  std::size_t block_bytes = 0;
  /// Each producer has this many blocks at each consumer, at least 2: that many can be written, in
  /// flight or being read at once.
  int blocks = 4;
};

/// A stream is a queue with room for a bounded number of bytes from every producer to every
/// consumer.
///
///     onehop::stream events(ctx, producers, consumers, {.largest_item = 256});
///
///     auto place = events.reserve(96);        // at a producer
///     fill(place.bytes);
///     events.publish(place);
///     ...
///     events.close();
///
///     while (auto item = events.next()) {     // at a consumer
///       use(item->bytes);
///       events.release(*item);
///     }
///
/// Items from one producer to one consumer arrive whole, once, and in order; there is no order
/// between different ranks. Items are written to this rank's memory, from which a whole block is
/// copied to its consumer at once. A published item leaves at once if its consumer has released
/// everything that was sent before. Otherwise items travel together, as soon as a block is full or
/// has been released. Items that are held back move only in calls of this stream at the producer;
/// `flush` sends them even if the block is not full.
///
/// An item may be read until it is released. The room of a block is free again once all of its
/// items have been taken and released, so a consumer that keeps items makes its producers wait.
///
/// A stream belongs to one thread of each rank. A rank may be both producer and consumer, even of
/// its own items. Its reserve could then wait for items that the rank itself has not taken yet, so
/// such a rank calls try_reserve, try_next and try_close in turns.
class stream {
 public:
  /// `any` stands for any consumer that has room: the items are divided among the consumers that
  /// take them.
  static constexpr int any = -1;

  /// A place is the memory where an item is to be written.
  struct place {
    std::span<std::byte> bytes;  ///< aligned to 16 bytes
    int consumer = -1;
  };
  struct item {
    std::span<const std::byte> bytes;  ///< aligned to 16 bytes
    int producer = -1;
    std::uint32_t block = 0;  ///< names the block to release
  };
  enum class state { item, nothing_yet, ended };

  /// Makes a stream. Collective, with the same producers, consumers and options on every rank; the
  /// other ranks of the context take part too. Throws usage_error on every rank for lists that are
  /// empty, name a rank twice or a rank outside the job, or differ between ranks, and for sizes
  /// that do not fit each other; resource_error if a rank has no memory for the blocks.
  stream(const context& ctx, std::span<const int> producers, std::span<const int> consumers,
         const stream_options& options = {});
  ~stream();
  stream(stream&&) noexcept;
  stream& operator=(stream&&) noexcept;

  /// Waits until a consumer has room for an item of at most `bytes` bytes, 0 included, and returns
  /// the place; called at a producer. Throws usage_error at a rank that does not produce, for more
  /// than the largest item, for a rank that does not consume, after close, and while another item
  /// for that consumer is reserved; timeout_error and peer_error as put_chain::wait.
  place reserve(std::size_t bytes, int consumer = any);
  /// Returns room as reserve does, or nothing if it would have to wait.
  std::optional<place> try_reserve(std::size_t bytes, int consumer = any);
  /// Publishes the reserved item, or its first `bytes` bytes. Throws usage_error for a place that
  /// is not reserved and for more bytes than were reserved.
  void publish(const place& written, std::size_t bytes);
  void publish(const place& written) { publish(written, written.bytes.size()); }
  /// Reserves room, copies the bytes and publishes them.
  void send(std::span<const std::byte> bytes, int consumer = any);
  /// Sends items that were published but held back.
  void flush();

  /// Declares at a producer that no more items come. Sends what is held back and tells the
  /// consumers, then waits until they have room for it and all of it has left. A second close does
  /// nothing. As with chains, ranks must stay in the job until every consumer has seen the end.
  void close();
  /// Closes without waiting, and returns true once everything is sent. Call it again until then.
  bool try_close();

  /// Waits for the next item of any producer and returns it, or returns nothing once all producers
  /// have closed and every item has been taken; called at a consumer. Throws usage_error at a rank
  /// that does not consume; timeout_error and peer_error as put_chain::wait.
  std::optional<item> next();
  /// Takes the next item without waiting, and returns whether there was one.
  state try_next(item& into);
  /// Releases the memory of an item that was taken. Throws usage_error for an item that is not held
  /// by the caller.
  void release(const item& taken);

  /// Returns the number of bytes that the blocks of all producers take in this rank's memory; 0 if
  /// it does not consume.
  std::size_t memory_bytes() const noexcept;

 private:
  struct inside;
  std::unique_ptr<inside> inside_;
};

}  // namespace onehop
