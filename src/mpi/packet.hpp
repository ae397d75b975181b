#pragma once
/// A packet is what one rank's engine tells another rank's.

#include <bit>
#include <cstdint>

#include "mpi/collective_call.hpp"

namespace onehop::mpi_abi {

/// A packet begins with this; its payload follows.
struct packet_header {
  enum kind : std::uint32_t {
    eager,             ///< a message, or where it has more bytes than the packet its first part
    more,              ///< the next part of the message that the sender has begun
    ready_to_send,     ///< a long message waits at its sender for a receive
    clear_to_send,     ///< the receive of a long message is there
    data,              ///< a part of a long message
    received_by_read,  ///< the receiver has read a long message from the sender's memory
    cancel,            ///< the sender takes a long message back unless a receive has it
    cancelled,         ///< no receive has had it
    one_sided,         ///< for the window of this context
    standing,          ///< a question or an answer of the deadlock_watch
    end                ///< the sender sends nothing more, or to the others: no rank does
  };
  std::uint32_t what = eager;
  std::uint32_t context = 0;
  std::int32_t source = 0;  ///< the sender's rank in the communicator
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;   ///< bytes of the whole message
  std::uint64_t sender = 0;  ///< names the request of the sender, in its process
  /// Names the request of the receiver, in its process; in a message, which knows none, it is the
  /// collective_call that the message belongs to.
  std::uint64_t receiver = 0;
  std::uint64_t place = 0;  ///< address of the message at its sender, or offset of a part

  collective_call call() const noexcept { return std::bit_cast<collective_call>(receiver); }
};

}  // namespace onehop::mpi_abi
