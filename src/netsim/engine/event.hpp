#pragma once
/// An event says what happens at which time, in 16 bytes. Events are ordered by time; events of
/// equal time are ordered by when they were caused.

#include <cstdint>

#include "netsim/machine/time.hpp"

namespace onehop::netsim {

enum class event_kind : std::uint8_t {
  packet_at_router,  ///< a packet's head reaches a router
  packet_at_origin_stage,
  packet_at_target_stage,
  channel_has_credit,  ///< a virtual channel with waiting packets has credit again
  message_step,
  source_free,
  alarm,
  notification,  ///< the origin of a flow learns that its packets were marked
  flow_is_due,   ///< a slowed flow may send its next packet
};

struct event {
  picoseconds time = 0;
  std::uint32_t order = 0;  ///< counts up; after 2^32 events, ties may swap
  std::uint32_t what = 0;   ///< kind in the upper bits, index in the lower

  static constexpr std::uint32_t most_index = (1U << 28) - 1;

  [[nodiscard]] event_kind kind() const noexcept { return static_cast<event_kind>(what >> 28); }
  [[nodiscard]] std::uint32_t index() const noexcept { return what & most_index; }

  static std::uint32_t pack(event_kind kind, std::uint32_t index) noexcept {
    return static_cast<std::uint32_t>(kind) << 28 | index;
  }
  friend bool operator<(const event& a, const event& b) noexcept {
    return a.time != b.time ? a.time < b.time : a.order < b.order;
  }
};
static_assert(sizeof(event) == 16);

}  // namespace onehop::netsim
