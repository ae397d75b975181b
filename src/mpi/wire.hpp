#pragma once
/// A wire carries packets between the ranks of a job: complete, exactly once, and in order between
/// any two ranks. No call blocks.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <onehop/context.hpp>
#include <span>
#include <vector>

#include "mpi/packet.hpp"
#include "mpi/ring.hpp"
#include "transport/base/mail.hpp"
#include "transport/base/transport.hpp"

namespace onehop::mpi_abi {

class wire {
 public:
  /// The constructor is collective. Throws resource_error if a rank lacks memory.
  explicit wire(const context& ctx);

  /// Returns the size of the longest payload.
  std::size_t most_payload() const noexcept { return most_payload_; }
  /// Returns the size of the longest message that should be sent at once, in real time.
  std::size_t most_at_once() const noexcept { return most_at_once_; }
  /// Returns the size of parts in which a message of `bytes` bytes is transferred fastest.
  std::size_t most_of_part(std::size_t bytes) const noexcept;
  /// Sends a packet to another rank if there is space, and returns whether there was. In virtual
  /// time the packet takes as long as the message that it represents.
  bool try_send(int to, const packet_header& header, std::span<const std::byte> payload,
                const modelled_message& stands_for);
  /// Passes arrived packets to `take(from, header, payload)`, which must not call poll.
  template <class Take>
  void poll(Take&& take) {
    for (int from = 0; from < static_cast<int>(in_.size()); ++from) poll_ring(from, take);
    if (mail_) poll_mail(take);
  }
  /// Returns how many packets were sent to other ranks, and how many were received. Packets of the
  /// deadlock_watch are not counted.
  std::uint64_t sent() const noexcept { return sent_; }
  std::uint64_t received() const noexcept { return received_; }
  /// Declares that this rank sends nothing more; later packets are dropped. Returns true once all
  /// packets sent before have left.
  bool try_close();
  /// Returns whether poll has found that every rank has closed and all packets have been received.
  bool ended() const noexcept { return ended_; }

  /// While a presence exists, this rank polls and sends all the time.
  class presence {
   public:
    explicit presence(const wire& of) noexcept
        : word_(of.mail_ ? nullptr : of.present_[static_cast<std::size_t>(of.rank_)]),
          before_(set(1)) {}
    ~presence() { set(before_); }
    presence(const presence&) = delete;
    presence& operator=(const presence&) = delete;

   private:
    std::uint32_t set(std::uint32_t value) noexcept {
      if (word_ == nullptr) return 0;
      const std::uint32_t before = word_->load(std::memory_order_relaxed);
      word_->store(value, std::memory_order_relaxed);
      return before;
    }
    std::atomic<std::uint32_t>* word_;
    std::uint32_t before_;
  };
  /// Returns whether a rank polls and sends all the time, as far as this rank knows.
  bool is_present(int rank) const noexcept {
    return !mail_ && present_[static_cast<std::size_t>(rank)]->load(std::memory_order_relaxed) != 0;
  }

 private:
  template <class Take>
  void poll_ring(int from, Take& take) {
    if (from == rank_) return;
    // After this many packets other ranks get their turn, since one rank may send without end.
    constexpr int most_in_a_row = 16;
    const auto give = [&](const packet_header& header, std::span<const std::byte> payload) {
      deliver(take, from, header, payload);
    };
    ring_reader& ring = in_[static_cast<std::size_t>(from)];
    for (int taken = 0; taken < most_in_a_row && ring.try_take(give); ++taken) {
    }
  }
  template <class Take>
  void poll_mail(Take& take) {
    while (const auto packet = mail_->next()) {
      packet_header header;
      std::memcpy(&header, packet->bytes.data(), sizeof header);
      deliver(take, packet->from, header, packet->bytes.subspan(sizeof header));
    }
  }
  template <class Take>
  void deliver(Take& take, int from, const packet_header& header,
               std::span<const std::byte> payload) {
    if (header.what == packet_header::end) return note_end();
    if (header.what != packet_header::standing) ++received_;
    take(from, header, payload);
  }
  void map_rings();
  bool try_close_rings();
  void note_end();
  void send_end(int to);

  context ctx_;
  int rank_;
  std::unique_ptr<mail> mail_;         ///< computes the time of packets, in virtual time
  std::shared_ptr<std::byte> memory_;  ///< shared by all ranks, in real time
  // Rings by the other rank. The one for this rank itself stays empty.
  std::vector<ring_writer> out_;
  std::vector<ring_reader> in_;
  std::vector<std::atomic<std::uint32_t>*> present_;  ///< whether each rank is present
  std::size_t most_payload_ = mail::most_bytes - sizeof(packet_header);
  std::size_t most_at_once_ = 0;
  bool closed_ = false, said_end_ = false, ended_ = false;
  int told_ = 0;  ///< ranks told that this one sends nothing more
  int ends_ = 0;  ///< ranks known to send nothing more; with mail, only the first rank counts them
  std::uint64_t sent_ = 0, received_ = 0;
};

}  // namespace onehop::mpi_abi
