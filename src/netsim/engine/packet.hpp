#pragma once
/// A packet is on its way from the injector of its origin to the last of its target's stages that
/// serve packets.

#include <cstdint>

#include "netsim/machine/route.hpp"

namespace onehop::netsim {

/// A packet takes 32 bytes only, since there are many of them.
struct packet {
  picoseconds tail = 0;  ///< when its end is where its head is now
  std::uint32_t message = 0;
  /// The next packet in its queue; in stages its number in the message; on a link the link of its
  /// next hop, where that was foreseen.
  std::uint32_t next = no_index;
  /// The link whose credit it holds; no_index where it holds a buffer of its origin.
  std::uint32_t link = no_index;
  std::uint16_t bytes = 0;
  std::uint8_t slot = 0;     ///< number of its credit of `link`, or of its buffer
  std::uint8_t channel = 0;  ///< virtual channel of `link`; in stages the position in the path
  route way;

  /// In `slot` this marks the packet that its injector made last, whose first event makes the next.
  static constexpr std::uint8_t is_newest = 0x80;
  /// In `slot` this marks a packet that has met a long queue.
  static constexpr std::uint8_t is_marked = 0x40;

  /// Returns the number of its credit or buffer.
  [[nodiscard]] std::uint32_t place() const noexcept { return slot & (is_marked - 1U); }
};
static_assert(sizeof(packet) == 32);

/// A flow says when the head and the end of a packet pass a point.
struct flow {
  picoseconds head = 0, tail = 0;
};

}  // namespace onehop::netsim
