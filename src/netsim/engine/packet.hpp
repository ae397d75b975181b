#pragma once
/// A packet is in flight from the injector of its origin to the last packet stage of its target.

#include <cstdint>

#include "netsim/machine/route.hpp"

namespace onehop::netsim {

/// A packet takes only 32 bytes, because there are many of them.
struct packet {
  picoseconds tail = 0;  ///< when its end reaches the place where its head is now
  std::uint32_t message = 0;
  /// The next packet in its queue; in stages, its number in the message; on a link, the link of its
  /// next hop if that was foreseen.
  std::uint32_t next = no_index;
  /// The link whose credit it holds, or no_index if it holds a buffer of its origin.
  std::uint32_t link = no_index;
  std::uint16_t bytes = 0;
  std::uint8_t slot = 0;     ///< number of its credit of `link`, or of its buffer
  std::uint8_t channel = 0;  ///< virtual channel of `link`; in stages, the position in the path
  route way;

  /// In `slot` this marks the newest packet of its injector, whose first event makes the next one.
  static constexpr std::uint8_t is_newest = 0x80;
  /// In `slot` this marks a packet that has met a long queue.
  static constexpr std::uint8_t is_marked = 0x40;

  /// Returns the number of its credit or buffer.
  [[nodiscard]] std::uint32_t place() const noexcept { return slot & (is_marked - 1U); }
};
static_assert(sizeof(packet) == 32);

/// A flow says when the head and the end of a packet pass a given point.
struct flow {
  picoseconds head = 0, tail = 0;
};

}  // namespace onehop::netsim
