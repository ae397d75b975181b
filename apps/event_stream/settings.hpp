#pragma once
/// These say what a run of the stream is to be like.

#include "arrivals.hpp"
#include "event_table.hpp"
#include "wire.hpp"

#include <onehop/idle.hpp>

#include <chrono>
#include <cstdint>

namespace event_stream {

struct stream_settings {
  int sources = 1, consumers = 1;  ///< ranks from 0 on, and those behind them
  double events_per_s = 1e6;
  arrival_pattern arrivals = arrival_pattern::poisson;
  double seconds = 1;  ///< events happen for so long
  double deadline_us = 1000;
  hit_pattern hits = hit_pattern::ring;
  std::size_t payload_bytes = 0;  ///< bytes of a fragment beside header and hits, 8 or multiples
  std::size_t datagram_bytes = 1472;
  double gather_us = 200;  ///< a datagram leaves when it is full or its first event is so old
  int buffers = 16;        ///< number of buffers of each source at each consumer
  std::size_t batch = 16;  ///< events that are decided together at most
  double service_us = 0;   ///< a consumer takes so long for an event, beside what it computes
  double stall_ms = 0;     ///< the first consumer stops for so long, after half of the time
  bool by_load = false;    ///< the one source gives datagrams to consumers that have room
  std::uint64_t seed = 1;

  std::uint64_t end_ns() const { return static_cast<std::uint64_t>(seconds * 1e9); }
};

/// A run_clock counts nanoseconds from the begin of a run, in the time of the job.
class run_clock {
 public:
  explicit run_clock(const onehop::context& job) : job_(job), begin_(job.now()) {}

  std::uint64_t now_ns() const {
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(job_.now() - begin_).count());
  }
  /// Passes some time, as onehop::idle.
  void idle(int turn, std::uint64_t until_ns) const {
    onehop::idle(job_, turn, begin_ + std::chrono::nanoseconds(until_ns));
  }
  /// Passes the time until then.
  void wait_until(std::uint64_t until_ns) const {
    for (int turn = 0; now_ns() < until_ns; ++turn) idle(turn, until_ns);
  }

 private:
  onehop::context job_;
  std::chrono::steady_clock::time_point begin_;
};

/// Nothing that a rank waits for takes longer before it looks again.
inline constexpr std::uint64_t look_again_ns = 1'000'000;

}  // namespace event_stream
