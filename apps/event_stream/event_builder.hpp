#pragma once
/// An event_builder joins the fragments of all sources to events, and detects missing, repeated,
/// unordered and damaged fragments.

#include "event.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace event_stream {

/// Consumers receive events in turns of this many.
inline constexpr std::uint64_t events_per_turn = 32;

struct built_event {
  std::uint64_t event = 0, time_ns = 0;
  std::uint16_t hits = 0;
  std::array<hit, most_hits> at{};
};

/// These count the faulty fragments.
struct fragment_faults {
  std::uint64_t damaged = 0;  ///< fragments whose checksum is wrong, or that cannot be read at all
  std::uint64_t out_of_order = 0;  ///< fragments not after the last one of their source
  std::uint64_t unlike = 0;  ///< fragments whose time stamp differs from that of the other sources
  std::uint64_t total() const noexcept { return damaged + out_of_order + unlike; }
};

class event_builder {
 public:
  /// `turns` is the number of consumers that receive events in turn; this one has number `turn`. If
  /// events are not distributed in turn, there must be one source.
  event_builder(int sources, int turns, int turn, std::size_t payload_bytes);

  /// Takes one fragment from the front of `bytes`, and returns its event if it is now complete. The
  /// event is valid until the next call. If the front cannot be read, all bytes are taken.
  const built_event* take(std::span<const std::byte>& bytes);

  std::uint64_t fragments() const noexcept { return fragments_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  const fragment_faults& faults() const noexcept { return faults_; }

 private:
  struct slot {
    built_event event;
    int fragments = 0;
  };

  bool accept(const fragment_header& header);
  slot& slot_of(std::uint64_t event);

  std::uint64_t sources_, turns_, turn_;
  std::size_t payload_bytes_;
  std::vector<std::uint64_t> next_;  ///< by source, the least number that its next event may have
  std::vector<slot> slots_;  ///< a ring with the events of this consumer from number base_ on
  std::uint64_t base_ = 0;
  std::uint64_t fragments_ = 0, bytes_ = 0;
  fragment_faults faults_;
};

}  // namespace event_stream
