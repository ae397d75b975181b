#pragma once
/// A wire carries datagrams from some ranks to others. The two wires of this program differ in what
/// datagrams cost and in whether any are lost.

#include <onehop/context.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace event_stream {

enum class wire_kind {
  put,  ///< onehop::stream: datagrams are written into the receiver's ring of buffers
  udp   ///< sockets of this machine, with many datagrams in one call of the kernel
};
/// Returns the wire of this name; throws onehop::usage_error.
wire_kind wire_named(std::string_view name);

/// A datagram_sender belongs to a rank that sends.
class datagram_sender {
 public:
  static constexpr int any = -1;
  struct datagram {
    std::span<std::byte> bytes;  ///< room for the longest datagram
    int receiver = any;
  };

  virtual ~datagram_sender();
  /// Opens a datagram for this receiver, or for any that has room; its bytes are empty if there is
  /// no room. At most one datagram for a receiver may be open.
  virtual datagram try_open(int receiver) = 0;
  /// Sends the first bytes of an open datagram, at once or together with later ones.
  virtual void send(const datagram& opened, std::size_t bytes) = 0;
  /// Sends what has been held back.
  virtual void push() = 0;
  /// Announces that no more datagrams follow. Returns true when this is done; the caller repeats
  /// the call until then.
  virtual bool try_close() = 0;
};

/// A datagram_receiver belongs to a rank that receives.
class datagram_receiver {
 public:
  enum class state { datagram, nothing_yet, ended };

  virtual ~datagram_receiver();
  /// Takes the next datagram, whose bytes are valid until the next call, or says that there is none
  /// yet or will be none.
  virtual state try_next(std::span<const std::byte>& into) = 0;
  /// Returns how many bytes the kernel keeps for datagrams that have not been taken; 0 if it keeps
  /// none.
  virtual std::size_t kernel_buffer_bytes() const { return 0; }
};

/// A wire has a sender if this rank sends, and a receiver if it receives.
struct wire {
  std::unique_ptr<datagram_sender> sender;
  std::unique_ptr<datagram_receiver> receiver;
};

struct wire_shape {
  std::vector<int> senders, receivers;
  std::size_t datagram_bytes;  ///< bytes of the longest datagram
  int buffers;                 ///< buffers of each sender at each receiver; put only
};

/// Makes a wire of datagrams; collective, with the same shape on every rank. Throws as
/// onehop::stream. For udp it also throws usage_error if ranks are not processes or threads of one
/// machine, and resource_error if a socket cannot be made.
wire make_wire(wire_kind kind, const onehop::context& job, const wire_shape& shape);
wire make_put_wire(const onehop::context& job, const wire_shape& shape);
wire make_udp_wire(const onehop::context& job, const wire_shape& shape);

}  // namespace event_stream
