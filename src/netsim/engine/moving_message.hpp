#pragma once
/// A moving_message is in flight from its first stage until the listener has been told of both its
/// ends.

#include <cstdint>

#include "netsim/machine/route.hpp"

namespace onehop::netsim {

struct moving_message {
  std::uint64_t bytes = 0, arrived = 0, address = 0, token = 0;
  picoseconds ready = 0;  ///< when it is ready for the injector or the unit that it waits for
  picoseconds last = 0;   ///< when the last packet has passed the target's packet stages
  std::uint32_t origin = 0, target = 0;
  std::uint16_t origin_slot = 0, target_slot = 0;  ///< numbers of its ranks within their nodes
  std::uint32_t path = 0, pieces = 1;
  std::uint32_t next = no_index;  ///< next message in its queue
  std::uint32_t turn = 0;         ///< number among the origin's messages
  std::uint32_t packets_made = 0, packets_through = 0;
  route way;
  std::uint8_t position = 0;  ///< position in the list of its path's per-message stages
  std::uint8_t to_tell = 2;   ///< pending calls of the listener: source_free and delivered
  bool first_of_chain : 1 = true;
  bool is_at_target : 1 = false;
  bool is_striped : 1 = false;
  bool is_read : 1 = false;  ///< its last packet has been made

  /// Returns the node whose stages serve it now.
  [[nodiscard]] std::uint32_t node() const noexcept { return is_at_target ? target : origin; }
  /// Returns the rank of that node for which it is served.
  [[nodiscard]] std::uint32_t slot() const noexcept {
    return is_at_target ? target_slot : origin_slot;
  }
};
static_assert(sizeof(moving_message) == 96);

}  // namespace onehop::netsim
