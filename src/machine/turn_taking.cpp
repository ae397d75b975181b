#include "machine/turn_taking.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "machine/cores.hpp"
#include "machine/futex.hpp"

namespace onehop {
namespace {

using namespace std::chrono_literals;

/// In a shorter interval, the programs that share a core may not each have had a turn.
constexpr std::chrono::nanoseconds shortest_interval = 20ms, longest_interval = 1s;

std::chrono::nanoseconds time_of(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

turn_taking::turn_taking(int threads)
    : seats_(static_cast<std::size_t>(threads)),
      seen_(time_of(CLOCK_MONOTONIC_COARSE)),
      used_(time_of(CLOCK_PROCESS_CPUTIME_ID)),
      interval_(shortest_interval) {
  // The system can move a single thread itself, at no cost.
  if (threads > 1) cores_ = cores::of_process();
  const auto here = std::ranges::find(cores_, sched_getcpu());
  if (here != cores_.end()) core_ = static_cast<std::size_t>(here - cores_.begin());
}

bool turn_taking::enter(int thread) {
  wait_for_turn(thread);
  if (cancelled_) return false;
  seat_of(thread).thread = static_cast<pid_t>(syscall(SYS_gettid));
  keep_on_core(seat_of(thread));
  return true;
}

void turn_taking::cancel() {
  cancelled_ = true;
  for (int thread = 0; thread < static_cast<int>(seats_.size()); ++thread) hand_over(thread);
}

void turn_taking::pass_on(int from, int to) {
  look_at_core();
  hand_over(to);
  wait_for_turn(from);
}

void turn_taking::leave(int thread, int to) {
  if (seat_of(thread).thread != 0) cores::allow(0, cores_);
  seat_of(thread).thread = 0;
  if (to >= 0) hand_over(to);
}

void turn_taking::hand_over(int to) noexcept {
  std::atomic<std::uint32_t>& word = seat_of(to).has_turn;
  word.store(1, std::memory_order_release);
  futex::wake_one(word, futex::reach::process);
}

void turn_taking::wait_for_turn(int thread) noexcept {
  std::atomic<std::uint32_t>& word = seat_of(thread).has_turn;
  while (word.load(std::memory_order_acquire) == 0) futex::wait(word, 0, futex::reach::process);
  word.store(0, std::memory_order_relaxed);
}

void turn_taking::look_at_core() {
  const nanoseconds now = time_of(CLOCK_MONOTONIC_COARSE);
  if (now - seen_ < interval_ || cores_.size() < 2) return;
  const nanoseconds used = time_of(CLOCK_PROCESS_CPUTIME_ID);
  const bool is_shared = used - used_ < (now - seen_) * 3 / 4;
  // If every core is busy, moving gains nothing and is tried less and less often.
  interval_ = is_shared ? std::min(2 * interval_, longest_interval) : shortest_interval;
  // Two processes that look at the same time must not both move: the last bit decides at random.
  if (is_shared && used.count() % 2 == 0) {
    core_ = (core_ + 1) % cores_.size();
    for (seat& each : seats_) keep_on_core(each);
  }
  seen_ = time_of(CLOCK_MONOTONIC_COARSE);
  used_ = time_of(CLOCK_PROCESS_CPUTIME_ID);
}

/// If the system refuses to keep a thread on the core, the thread is left alone.
void turn_taking::keep_on_core(seat& who) {
  if (who.thread == 0) return;
  if (cores_.size() < 2 || !cores::allow(who.thread, {&cores_[core_], 1})) who.thread = 0;
}

}  // namespace onehop
