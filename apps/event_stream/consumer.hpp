#pragma once
/// A consumer joins fragments to events, decides in batches, and sends the decisions to the first
/// source.

#include "ring_trigger.hpp"
#include "settings.hpp"

namespace event_stream {

struct consumer_account {
  std::uint64_t fragments = 0, bytes = 0;
  fragment_faults faults;
  trigger_account trigger;
  std::uint64_t waited_ns = 0;  ///< over events, from time stamp to the start of their batch
};

class consumer {
 public:
  consumer(const onehop::context& job, const event_table& table, const stream_settings& how,
           wire fragments, std::unique_ptr<datagram_sender> decisions);

  consumer_account run(const run_clock& clock);

 private:
  void take(std::span<const std::byte> datagram, const run_clock& clock);
  void decide(const run_clock& clock);
  void tell(std::span<const decision> made, const run_clock& clock);
  void send_decisions();
  void stall(const run_clock& clock);

  onehop::context job_;
  stream_settings how_;
  std::uint64_t number_;
  std::unique_ptr<datagram_receiver> in_;
  std::unique_ptr<datagram_sender> out_;
  datagram_sender::datagram open_;
  std::size_t used_ = 0;
  std::uint64_t since_ns_ = 0;  ///< when the first decision that has not been sent was made
  event_builder builder_;
  ring_trigger trigger_;
  std::uint64_t batch_bytes_ = 0;
  bool has_stalled_;
  consumer_account account_;
};

}  // namespace event_stream
