#pragma once
/// The engines of ranks communicate by packets.

#include <bit>
#include <cstdint>

#include "mpi/collective_call.hpp"

namespace onehop::mpi_abi {

/// Every packet begins with this header, and its payload follows.
struct packet_header {
  enum kind : std::uint32_t {
    eager,             ///< a message, or its first part if it has more bytes than the packet
    more,              ///< the next part of the message that the sender has started
    ready_to_send,     ///< a long message waits at its sender for a receive
    clear_to_send,     ///< the receive of a long message has been posted
    data,              ///< a part of a long message
    received_by_read,  ///< the receiver has read a long message from the sender's memory
    cancel,            ///< the sender cancels a long message unless a receive has taken it
    cancelled,         ///< the message was dropped before any receive took it
    one_sided,         ///< for the window of this context
    standing,          ///< a question or an answer of the deadlock_watch
    end                ///< the sender sends nothing more; from the first rank, no rank does
  };
  std::uint32_t what = eager;
  std::uint32_t context = 0;
  std::int32_t source = 0;  ///< the sender's rank in the communicator
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;   ///< size of the whole message
  std::uint64_t sender = 0;  ///< identifies the request at the sender, in its process
  /// Identifies the request at the receiver, in its process. A message does not know its receive,
  /// and has here the collective_call that it belongs to.
  std::uint64_t receiver = 0;
  std::uint64_t place = 0;  ///< address of the message at its sender, or offset of a part

  collective_call call() const noexcept { return std::bit_cast<collective_call>(receiver); }
};

}  // namespace onehop::mpi_abi
