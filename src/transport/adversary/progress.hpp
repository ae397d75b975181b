#pragma once
/// The scheduler is the only source of time and order in an adversary's job. It decides which rank
/// goes on and when each event comes.

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "machine/turn_taking.hpp"

namespace onehop::adversary {

/// A moment counts virtual microseconds; every call to a transport takes one of them.
using moment = std::uint64_t;

/// Perturbations describe how the adversary disturbs a run; they are drawn once from its seed.
/// Chances are given out of 1024.
struct perturbations {
  std::uint64_t switching;       ///< chance that another rank goes on at a call to a transport
  std::uint64_t sleeping;        ///< chance that a rank falls asleep at a call to a transport
  std::uint64_t waking;          ///< chance that a waiting rank is woken for nothing
  std::uint64_t at_once;         ///< chance that a put is complete within start
  std::uint64_t direct;          ///< chance that a packed put is packed straight into its target
  moment put_delay, word_delay;  ///< longest ordinary delay of a piece, and of anything small
  std::uint64_t pieces;          ///< most pieces of a put
  std::uint64_t queue_slots;     ///< most puts that a chain can have under way
  std::size_t round_bytes;       ///< longest message of a round
};

/// Ranks are threads that take turns. Only one of them runs at a time, and it hands over to another
/// only in calls to a transport. Hence no lock is needed, and the same seed gives the same run.
class scheduler {
 public:
  scheduler(int ranks, std::uint64_t seed);

  /// Draws a number from 0 to below `limit`.
  std::uint64_t draw(std::uint64_t limit) noexcept;
  bool chance(std::uint64_t out_of_1024) noexcept { return draw(1024) < out_of_1024; }
  /// Draws a delay from 0 to `longest`, and rarely a far longer one.
  moment delay(moment longest) noexcept;
  const perturbations& perturbed() const noexcept { return perturbations_; }
  moment now() const noexcept { return now_; }

  /// Waits for the rank's turn; it must be the first call of the rank's thread. Returns false if
  /// there will be no run.
  bool enter(int rank) { return turns_.enter(rank); }
  /// Ends the rank; it must be the last call of its thread.
  void finish(int rank);
  /// Starts the run once every thread has been started; cancel ends it if one could not be started.
  /// No rank calls either of them.
  void begin() { turns_.begin(choose()); }
  void cancel() { turns_.cancel(); }

  /// Every call to a transport makes a step: time passes, events come, and another rank may go on.
  void step(int rank);
  /// Lets other ranks run, because this rank has nothing to do before `until` or an event for it.
  void wait(int rank, moment until);
  /// Runs `event` after `delay` and wakes `rank` then.
  void later(moment delay, int rank, std::function<void()> event);
  void wake(int rank) noexcept;
  void wake_all() noexcept;

 private:
  enum class state { ready, waiting, asleep, finished };
  struct rank_state {
    state what = state::ready;
    moment until = 0;    ///< end of a wait or a sleep
    bool woken = false;  ///< it was woken while it did not wait, since it waited last
  };
  struct event {
    moment due;
    std::uint64_t number;  ///< number of the event: equal times come in the order of scheduling
    int rank;
    std::function<void()> run;
    bool operator>(const event& other) const noexcept {
      return due != other.due ? due > other.due : number > other.number;
    }
  };

  static perturbations draw_perturbations(scheduler& from);
  void run_due();
  /// Returns the next rank to go on, and -1 when all have finished.
  int choose();
  void jump_to_next();
  void pass_on(int rank);

  std::uint64_t random_;
  perturbations perturbations_;
  moment now_ = 0;
  std::uint64_t events_made_ = 0;
  turn_taking turns_;
  std::vector<rank_state> ranks_;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
};

}  // namespace onehop::adversary
