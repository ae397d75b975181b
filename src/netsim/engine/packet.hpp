#pragma once
/// A packet on its way, between the DMA engine of its origin and the first stage of its target.

#include <cstdint>

#include "netsim/machine/route.hpp"

namespace onehop::netsim {

/// 32 bytes, for there are many of them.
struct packet {
  picoseconds tail = 0;  ///< when its end is where the head is now
  std::uint32_t message = 0;
  std::uint32_t next = no_index;  ///< in its queue
  std::uint32_t link =
      no_index;  ///< whose credit it holds; no_index: it holds a buffer of its origin
  std::uint16_t bytes = 0;
  std::uint8_t slot = 0;     ///< of that link's credits, or of those buffers
  std::uint8_t channel = 0;  ///< of that link; at the origin or target the position in the path
  route way;

  /// In `slot`, of the packet that its injector made last and whose first event makes the next.
  static constexpr std::uint8_t is_newest = 0x80;
};
static_assert(sizeof(packet) == 32);

/// When the head and the end of a packet pass a point.
struct flow {
  picoseconds head = 0, tail = 0;
};

}  // namespace onehop::netsim
