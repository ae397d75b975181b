#pragma once
/// A modelled_message is what a packet of a library of messages stands for on a machine whose time
/// is computed.

#include <cstdint>

namespace onehop {

/// The library's own bytes, and in how many packets a message goes, are its implementation's
/// matter: a machine's published times include the headers of its own library. So the packet says
/// which message of the machine it is, and takes the time of that one.
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
