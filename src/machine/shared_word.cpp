#include "machine/shared_word.hpp"

#include <algorithm>
#include <chrono>
#include <onehop/machine.hpp>

#include "machine/futex.hpp"
#include "machine/relax.hpp"

namespace onehop {
namespace {

/// Putting a process to sleep and waking it takes about this long.
constexpr std::chrono::microseconds spin_time{20};
constexpr int most_skipped = 1000;

/// Spinning on the word pays only if another core is free to change it: on a busy machine it keeps
/// a core from the very process that it waits for.
class patience {
 public:
  bool changes_soon(const std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
    if (word.load(std::memory_order_acquire) != seen) return true;
    if (usable_cores_ == 1) return false;
    if (to_skip_ > 0) {
      --to_skip_;
      return false;
    }
    const bool changed = spin(word, seen);
    // After each unsuccessful spin, twice as many waits skip spinning.
    skipped_ = changed ? 0 : std::min(2 * skipped_ + 1, most_skipped);
    to_skip_ = skipped_;
    return changed;
  }

 private:
  static bool spin(const std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
    const auto end = std::chrono::steady_clock::now() + spin_time;
    do {
      for (int look = 0; look < 50; ++look) {
        if (word.load(std::memory_order_acquire) != seen) return true;
        relax();
      }
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }

  int usable_cores_ = usable_cores();
  int skipped_ = 0, to_skip_ = 0;
};

}  // namespace

void shared_word::set(std::uint32_t value) noexcept {
  // The store is sequentially consistent, like the count of sleepers: either the sleeper is counted
  // here, or it sees the new value.
  value_.store(value);
  wake();
}

void shared_word::add_one() noexcept {
  value_.fetch_add(1);
  wake();
}

void shared_word::wake() noexcept {
  if (sleepers_.load() > 0) futex::wake_one(value_, futex::reach::all_processes);
}

void shared_word::wait_while(std::uint32_t seen) noexcept {
  thread_local patience mine;
  if (mine.changes_soon(value_, seen)) return;
  sleepers_.fetch_add(1);
  futex::wait(value_, seen, futex::reach::all_processes);
  sleepers_.fetch_sub(1);
}

}  // namespace onehop
