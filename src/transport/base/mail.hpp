#pragma once
/// Mail carries packets between the ranks of a job whose time is computed. Unlike chains, it needs
/// nothing for each pair of ranks, so that a job of many ranks starts at once.

#include <cstddef>
#include <optional>
#include <span>

#include "transport/base/modelled_message.hpp"

namespace onehop {

/// This is the mail of one rank. Packets from one rank to another arrive whole, once, and in the
/// order in which they were sent.
class mail {
 public:
  static constexpr std::size_t most_bytes = std::size_t{1} << 14;  ///< bytes of a packet

  struct packet {
    int from;
    std::span<const std::byte> bytes;  ///< They stay until the next call of next.
  };

  virtual ~mail() = default;

  /// Sends `head` and `body` as one packet to another rank if there is room, and returns whether
  /// there was. If there was none, the rank is woken once there is. The packet takes as long as the
  /// message that it stands for.
  virtual bool try_send(int to, std::span<const std::byte> head, std::span<const std::byte> body,
                        const modelled_message& stands_for) = 0;
  /// Returns a packet that has arrived, if there is one.
  virtual std::optional<packet> next() = 0;
  /// Returns whether all packets that this rank sent have arrived. If not, the rank is woken once
  /// they have.
  virtual bool all_came() noexcept = 0;
};

}  // namespace onehop
