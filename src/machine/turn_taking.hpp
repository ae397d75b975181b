#pragma once
/// Threads take turns: one of them runs at a time, and the others sleep until it hands over to
/// them.

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace onehop {

/// The threads stay on one core, because switching between two threads there takes a fraction of
/// the time of waking a thread on another core. If other programs use the core too, all move on to
/// the next one, since the system can no longer move them.
class turn_taking {
 public:
  /// The first core is that of the calling thread. All cores of the process may follow.
  explicit turn_taking(int threads);

  /// Waits for this thread's first turn; its first call. Threads that it starts from then on stay
  /// on the core too, except those of a thread_team. Returns false after cancel().
  bool enter(int thread);
  /// Gives the first turn; called by none of the threads, once all have been started.
  void begin(int first) { hand_over(first); }
  /// Ends the first wait of every thread, in place of begin().
  void cancel();
  /// Hands over to another thread, and waits for the next turn of this one.
  void pass_on(int from, int to);
  /// Hands over for the last time, to nobody if `to` is -1. The thread has the cores of the process
  /// again.
  void leave(int thread, int to);

 private:
  using nanoseconds = std::chrono::nanoseconds;

  /// std::binary_semaphore is not used: it yields several times before it sleeps, which on a busy
  /// machine costs as many turns of the scheduler for every hand-over. A condition variable wakes a
  /// thread that has to take its mutex first, and takes twice the processor time.
  struct seat {
    std::atomic<std::uint32_t> has_turn = 0;
    pid_t thread = 0;  ///< 0 if nobody sits there who can be moved
  };

  seat& seat_of(int thread) { return seats_[static_cast<std::size_t>(thread)]; }
  void hand_over(int to) noexcept;
  void wait_for_turn(int thread) noexcept;
  void look_at_core();
  void keep_on_core(seat& who);

  std::deque<seat> seats_;
  bool cancelled_ = false;
  std::vector<int> cores_;
  std::size_t core_ = 0;  ///< its place among cores_
  nanoseconds seen_;      ///< the time of the last look at the core
  nanoseconds used_;      ///< the processor time of the process at that look
  nanoseconds interval_;  ///< the time from that look to the next one
};

}  // namespace onehop
