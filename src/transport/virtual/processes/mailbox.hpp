#pragma once
/// A mailbox lies in memory that a rank shares with the conductor: packets that the rank has sent
/// in its turn, and packets that the conductor has brought before it.

#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/base/modelled_message.hpp"
#include "transport/stores/control_block.hpp"
#include "transport/virtual/packet_dispatcher.hpp"

namespace onehop::virtual_machine {

struct alignas(stores::line_bytes) mailbox {
  /// An entry precedes the bytes of each packet.
  struct alignas(16) entry {
    std::int32_t peer;  ///< target of a packet that was sent, origin of one that has come
    std::uint32_t bytes;
    modelled_message stands_for;
  };

  std::uint64_t capacity;     ///< bytes of each half, the sent and the brought packets
  std::uint64_t sent;         ///< bytes of the first half in use
  std::uint64_t come, taken;  ///< bytes of the second half in use, and of those that the rank has
                              ///< taken
  std::uint64_t under_way;    ///< bytes of the rank's packets that no rank has taken
  std::uint64_t wakes_at;     ///< 1 more than the bytes under way at which the rank is to be woken;
                              ///< 0 for none

  /// Returns the bytes of a mailbox in a job of this many ranks.
  static std::size_t bytes_for(int ranks) noexcept;
  /// Returns the bytes that a packet takes in a mailbox.
  static std::size_t room_for(std::size_t bytes) noexcept {
    return sizeof(entry) + (bytes + alignof(entry) - 1) / alignof(entry) * alignof(entry);
  }
  /// Returns the entry at this offset of a half; the bytes of the packet follow it.
  entry& sent_at(std::uint64_t offset) noexcept { return at(offset); }
  entry& come_at(std::uint64_t offset) noexcept { return at(capacity + offset); }
  static std::byte* bytes_of(entry& one) noexcept { return reinterpret_cast<std::byte*>(&one + 1); }

  /// The conductor calls these after and before a turn of the rank.
  void collect(packet_dispatcher& packets, int rank);
  void fill(packet_dispatcher& packets, int rank);

 private:
  entry& at(std::uint64_t offset) noexcept {
    return *reinterpret_cast<entry*>(reinterpret_cast<std::byte*>(this + 1) + offset);
  }
};

}  // namespace onehop::virtual_machine
