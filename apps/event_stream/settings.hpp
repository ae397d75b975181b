#pragma once
/// This defines the settings of a run of the stream.

#include "arrivals.hpp"
#include "event_table.hpp"
#include "wire.hpp"

#include <onehop/idle.hpp>

#include <chrono>
#include <cstdint>

namespace event_stream {

struct stream_settings {
  int sources = 1, consumers = 1;  ///< sources are the first ranks, consumers the others
  double events_per_s = 1e6;
  arrival_pattern arrivals = arrival_pattern::poisson;
  double seconds = 1;  ///< duration in which events happen
  double deadline_us = 1000;
  hit_pattern hits = hit_pattern::ring;
  std::size_t payload_bytes = 0;  ///< bytes of a fragment besides header and hits, a multiple of 8
  std::size_t datagram_bytes = 1472;
  double gather_us = 200;  ///< a datagram leaves when it is full or its first event has this age
  int buffers = 16;        ///< number of buffers of each source at each consumer
  std::size_t batch = 16;  ///< largest number of events that are decided together
  double service_us = 0;   ///< a consumer takes this for an event besides its computations
  double stall_ms = 0;     ///< the first consumer stops for this time after half of the run
  bool by_load = false;    ///< the only source gives datagrams to consumers that have room
  std::uint64_t seed = 1;

  std::uint64_t end_ns() const { return static_cast<std::uint64_t>(seconds * 1e9); }
};

/// A run_clock counts nanoseconds from the beginning of a run, by the clock of the job.
class run_clock {
 public:
  explicit run_clock(const onehop::context& job) : job_(job), begin_(job.now()) {}

  std::uint64_t now_ns() const {
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(job_.now() - begin_).count());
  }
  /// Passes some time, like onehop::idle.
  void idle(int turn, std::uint64_t until_ns) const {
    onehop::idle(job_, turn, begin_ + std::chrono::nanoseconds(until_ns));
  }
  /// Waits until this time.
  void wait_until(std::uint64_t until_ns) const {
    for (int turn = 0; now_ns() < until_ns; ++turn) idle(turn, until_ns);
  }

 private:
  onehop::context job_;
  std::chrono::steady_clock::time_point begin_;
};

/// A rank that waits looks again at least this often.
inline constexpr std::uint64_t look_again_ns = 1'000'000;

}  // namespace event_stream
