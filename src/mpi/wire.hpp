#pragma once
/// A wire carries packets between the ranks of a job: whole, once, and in order between two ranks.
/// Nothing here blocks.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <onehop/context.hpp>
#include <onehop/stream.hpp>
#include <optional>
#include <span>

#include "mpi/collective_call.hpp"
#include "transport/base/mail.hpp"
#include "transport/base/transport.hpp"

namespace onehop::mpi_abi {

/// A packet begins with this; its payload follows.
struct packet_header {
  enum kind : std::uint32_t {
    eager,             ///< a whole message, or its end
    beginning,         ///< a part of a message whose end follows
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

class wire {
 public:
  /// The constructor is collective.
  explicit wire(const context& ctx);

  /// Returns the bytes of the longest payload.
  std::size_t most_payload() const noexcept { return most_payload_; }
  /// Sends a packet to another rank if there is room for it, and says whether there was. In virtual
  /// time it takes as long as what it stands for.
  bool try_send(int to, const packet_header& header, std::span<const std::byte> payload,
                const modelled_message& stands_for);
  /// Lets all packets leave that wait for others to travel with.
  void flush() {
    if (packets_) packets_->flush();
  }
  /// Hands the packets that have arrived to `take(from, header, payload)`.
  template <class Take>
  void poll(Take&& take) {
    if (packets_) poll_stream(take);
    if (mail_) poll_mail(take);
  }
  /// Returns how many packets other ranks were sent, and how many of theirs were taken; those of
  /// the deadlock_watch do not count.
  std::uint64_t sent() const noexcept { return sent_; }
  std::uint64_t received() const noexcept { return received_; }
  /// Says that this rank sends nothing more: later packets are thrown away. Returns true once all
  /// that it sent has left.
  bool try_close();
  /// Returns whether poll has found that every rank has closed and all that they sent was taken.
  bool ended() const noexcept { return ended_; }

 private:
  template <class Take>
  void poll_stream(Take& take) {
    stream::item item;
    stream::state seen;
    while ((seen = packets_->try_next(item)) == stream::state::item) {
      deliver(take, item.producer, item.bytes);
      packets_->release(item);
    }
    ended_ = seen == stream::state::ended;
  }
  template <class Take>
  void poll_mail(Take& take) {
    while (const auto packet = mail_->next()) deliver(take, packet->from, packet->bytes);
  }
  template <class Take>
  void deliver(Take& take, int from, std::span<const std::byte> bytes) {
    packet_header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.what == packet_header::end) return note_end();
    if (header.what != packet_header::standing) ++received_;
    take(from, header, bytes.subspan(sizeof header));
  }
  void note_end();
  void send_end(int to);

  context ctx_;
  std::unique_ptr<mail> mail_;     ///< where the time of packets is computed
  std::optional<stream> packets_;  ///< in real time, and none in a job of one rank
  std::size_t most_payload_;
  bool closed_ = false, said_end_ = false, ended_ = false;
  int ends_ = 0;  ///< number of ranks that the first one knows to send nothing more
  std::uint64_t sent_ = 0, received_ = 0;
};

}  // namespace onehop::mpi_abi
