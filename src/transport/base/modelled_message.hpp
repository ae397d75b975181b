#pragma once
/// A modelled_message says which message of a machine in computed time a packet of a message
/// library stands for.

#include <cstdint>

namespace onehop {

/// How many bytes of its own the library adds, and into how many packets it splits a message, is a
/// matter of its implementation. A machine's published times include the headers of its own
/// library. The packet therefore names a message of the machine, and takes the time of that
/// message.
struct modelled_message {
  enum part : std::uint32_t {
    message,  ///< the data of a message, which nothing precedes
    request,  ///< tells the target of a long message
    grant,    ///< tells the origin of a long message that the receive is there
    data,     ///< the data of a long message, after its grant
    nothing   ///< takes no time: bytes that a later packet accounts for
  };
  part what = message;
  std::uint64_t bytes = 0;  ///< bytes of the whole message
};

}  // namespace onehop
