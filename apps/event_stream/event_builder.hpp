#pragma once
/// An event_builder joins the fragments of all sources to events, and finds out which ones are
/// missing, repeated, out of order or damaged.

#include "event.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace event_stream {

/// Events are dealt to the consumers in turn, this many at a time.
inline constexpr std::uint64_t events_per_turn = 32;

struct built_event {
  std::uint64_t event = 0, time_ns = 0;
  std::uint16_t hits = 0;
  std::array<hit, most_hits> at{};
};

/// These are fragments that are not as they should be.
struct fragment_faults {
  std::uint64_t damaged = 0;       ///< their checksum is wrong, or they cannot be read at all
  std::uint64_t out_of_order = 0;  ///< not behind the one before of their source, or repeated
  std::uint64_t unlike = 0;        ///< their time stamp is not that of the other sources
  std::uint64_t total() const noexcept { return damaged + out_of_order + unlike; }
};

class event_builder {
 public:
  /// `turns` is the number of consumers that events are dealt to in turn, of which this is number
  /// `turn`. Where they are not dealt in turn there is one source.
  event_builder(int sources, int turns, int turn, std::size_t payload_bytes);

  /// Takes one fragment from the front of `bytes`, and returns its event if it is complete now. The
  /// event is valid until the next call. Where the front cannot be read, all bytes are taken.
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
  std::vector<slot> slots_;          ///< events of this consumer from number base_ on, in a ring
  std::uint64_t base_ = 0;
  std::uint64_t fragments_ = 0, bytes_ = 0;
  fragment_faults faults_;
};

}  // namespace event_stream
