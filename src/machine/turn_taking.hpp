#pragma once
/// Threads take turns. Only one of them runs at a time, and the others sleep until it hands over to
/// them.

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace onehop {

/// The threads stay on one core, because a switch between two threads there takes a fraction of the
/// time needed to wake a thread on another core. If other programs use that core too, all threads
/// move together to the next core, since the system can no longer move them.
class turn_taking {
 public:
  /// The first core is the calling thread's. The threads may later move to any core of the process.
  explicit turn_taking(int threads);

  /// Must be this thread's first call; waits for its first turn. Threads that it starts later also
  /// stay on the core, except those of a thread_team. Returns false after cancel().
  bool enter(int thread);
  /// Gives the first turn. It is called once all threads have been started, and by none of them.
  void begin(int first) { hand_over(first); }
  /// Ends the first wait of every thread; it is called instead of begin().
  void cancel();
  /// Hands over to another thread, and waits for the next turn of this one.
  void pass_on(int from, int to);
  /// Hands over for the last time, or to no thread if `to` is -1. The thread may then use all cores
  /// of the process again.
  void leave(int thread, int to);

 private:
  using nanoseconds = std::chrono::nanoseconds;

  /// std::binary_semaphore is not used, because it yields several times before it sleeps. On a busy
  /// machine every hand-over would cost as many scheduler turns. A condition variable takes twice
  /// the processor time, because the woken thread must take its mutex first.
  struct seat {
    std::atomic<std::uint32_t> has_turn = 0;
    pid_t thread = 0;  ///< 0 if this seat has no thread that can be moved
  };

  seat& seat_of(int thread) { return seats_[static_cast<std::size_t>(thread)]; }
  void hand_over(int to) noexcept;
  void wait_for_turn(int thread) noexcept;
  void look_at_core();
  void keep_on_core(seat& who);

  std::deque<seat> seats_;
  bool cancelled_ = false;
  std::vector<int> cores_;
  std::size_t core_ = 0;  ///< index of the current core in cores_
  nanoseconds seen_;      ///< time of the last look at the core
  nanoseconds used_;      ///< processor time of the process at that look
  nanoseconds interval_;  ///< time from that look to the next one
};

}  // namespace onehop
