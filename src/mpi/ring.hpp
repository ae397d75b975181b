#pragma once
/// A ring carries packets from one rank to another through shared memory.
///
/// Each packet has a cell. The first line of the cell contains the word that announces the packet,
/// the header, and the first bytes of the payload, so that the shortest messages need only one
/// transfer of a cache line between two cores. A payload longer than its cell is stored in whole
/// lines behind the cells. Nothing is written twice or cleared, and there is no lock.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mpi/packet.hpp"

namespace onehop::mpi_abi {

/// Caches fetch lines in pairs, so data that different ranks write are in different pairs.
constexpr std::size_t pair_of_lines = 128;

struct alignas(pair_of_lines) ring_cell {
  /// The lower half is the lower half of the packet's number, which counts from 1. The upper half
  /// is the size of its payload.
  std::atomic<std::uint64_t> announced;
  packet_header header;
  std::array<std::byte, pair_of_lines - sizeof(std::uint64_t) - sizeof(packet_header)> payload;

  static constexpr bool holds(std::size_t bytes) noexcept { return bytes <= sizeof payload; }
};

/// The reader stores here how much it has taken since the ring was made.
struct alignas(pair_of_lines) ring_progress {
  std::atomic<std::uint64_t> packets, bytes;
};

/// Both sizes are powers of two, and equal on both sides.
struct ring_shape {
  std::size_t cells, payload_bytes;

  /// Larger jobs get smaller rings.
  static ring_shape of_job(int ranks) noexcept;
  std::size_t bytes() const noexcept {
    return sizeof(ring_progress) + cells * sizeof(ring_cell) + payload_bytes;
  }
  /// Returns the size of the longest payload. If the ring is large enough, it holds several of
  /// them, so that one is written while another is read.
  std::size_t most_payload() const noexcept;
};

/// A ring_side holds what writer and reader both know: where the next packet is.
class ring_side {
 public:
  ring_side() = default;
  /// The memory must be aligned to pairs of lines, and zero before the first side is made.
  ring_side(std::byte* memory, const ring_shape& shape) noexcept;

 protected:
  ring_cell& cell() const noexcept { return cells_[next_ & cell_mask_]; }
  /// Returns where a payload begins that is too long for its cell, in bytes since the ring was
  /// made. The payload is contiguous.
  std::uint64_t begin_of(std::size_t bytes) const noexcept {
    const std::size_t left = payload_bytes_ - (end_ & (payload_bytes_ - 1));
    return bytes <= left ? end_ : end_ + left;
  }
  std::byte* payload_at(std::uint64_t begin) const noexcept {
    return payload_ + (begin & (payload_bytes_ - 1));
  }
  static std::uint64_t end_of(std::uint64_t begin, std::size_t bytes) noexcept {
    constexpr std::size_t line = 64;
    return begin + (bytes + line - 1) / line * line;
  }

  ring_progress* taken_ = nullptr;
  ring_cell* cells_ = nullptr;
  std::byte* payload_ = nullptr;
  std::uint64_t cell_mask_ = 0, payload_bytes_ = 0;
  std::uint64_t next_ = 1;  ///< number of the next packet
  std::uint64_t end_ = 0;   ///< bytes behind the cells used so far, including gaps
};

class ring_writer : public ring_side {
 public:
  using ring_side::ring_side;
  /// Sends a packet if there is space, and returns whether there was.
  bool try_send(const packet_header& header, std::span<const std::byte> payload) noexcept;

 private:
  bool has_room(std::uint64_t end) noexcept;

  std::uint64_t packets_taken_ = 0, bytes_taken_ = 0;  ///< the reader's progress when last asked
};

class ring_reader : public ring_side {
 public:
  using ring_side::ring_side;
  /// Passes the next packet to `take(header, payload)` if it has arrived, and returns whether it
  /// had.
  template <class Take>
  bool try_take(Take&& take) {
    ring_cell& here = cell();
    // Acquire pairs with the writer's release, so that the packet is visible with its number.
    const std::uint64_t announced = here.announced.load(std::memory_order_acquire);
    if (static_cast<std::uint32_t>(announced) != static_cast<std::uint32_t>(next_)) return false;
    const auto bytes = static_cast<std::size_t>(announced >> 32U);
    const std::byte* payload = here.payload.data();
    if (!ring_cell::holds(bytes)) {
      const std::uint64_t begin = begin_of(bytes);
      payload = payload_at(begin);
      end_ = end_of(begin, bytes);
    }
    take(here.header, std::span(payload, bytes));
    // Release makes sure that the writer overwrites only what has been read. The lines stay in this
    // rank's cache until the writer reads them, which it does only if it has no space left.
    taken_->packets.store(next_++, std::memory_order_release);
    taken_->bytes.store(end_, std::memory_order_release);
    return true;
  }
};

}  // namespace onehop::mpi_abi
