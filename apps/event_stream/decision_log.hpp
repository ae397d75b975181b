#pragma once
/// A decision_log receives the decisions at the first source and records their latencies.

#include "latency_histogram.hpp"
#include "ring_trigger.hpp"
#include "settings.hpp"
#include "wire.hpp"

namespace event_stream {

struct decision_account {
  latency_histogram latencies;  ///< from the time stamp of an event to its decision
  std::uint64_t misses = 0;     ///< decisions that came after the deadline
  std::uint64_t kept = 0;
  std::uint64_t repeated = 0;  ///< events that were decided twice or out of order
  std::uint64_t last_ns = 0;   ///< when the last decision came
};

class decision_log {
 public:
  decision_log(std::unique_ptr<datagram_receiver> in, const stream_settings& how)
      : in_(std::move(in)),
        deadline_ns_(static_cast<std::uint64_t>(how.deadline_us * 1000)),
        next_(static_cast<std::size_t>(how.consumers)) {}

  /// Takes the decisions that have arrived; returns false when no more will arrive.
  bool take(const run_clock& clock) {
    std::span<const std::byte> bytes;
    auto state = in_->try_next(bytes);
    for (; state == datagram_receiver::state::datagram; state = in_->try_next(bytes))
      read(bytes, clock);
    return state != datagram_receiver::state::ended;
  }
  const decision_account& account() const noexcept { return account_; }

 private:
  /// A datagram contains the number of its consumer, then decisions.
  void read(std::span<const std::byte> bytes, const run_clock& clock) {
    std::uint64_t consumer;
    std::memcpy(&consumer, bytes.data(), sizeof consumer);
    const std::uint64_t now_ns = account_.last_ns = clock.now_ns();
    for (bytes = bytes.subspan(sizeof consumer); bytes.size() >= sizeof(decision);
         bytes = bytes.subspan(sizeof(decision))) {
      decision one;
      std::memcpy(&one, bytes.data(), sizeof one);
      std::uint64_t& next = next_[consumer];
      account_.repeated += one.event < next;
      next = one.event + 1;
      const std::uint64_t latency = now_ns > one.time_ns ? now_ns - one.time_ns : 0;
      account_.latencies.add(latency);
      account_.misses += latency > deadline_ns_;
      account_.kept += one.kept;
    }
  }

  std::unique_ptr<datagram_receiver> in_;
  std::uint64_t deadline_ns_;
  std::vector<std::uint64_t> next_;  ///< by consumer, the least number that its next event may have
  decision_account account_;
};

}  // namespace event_stream
