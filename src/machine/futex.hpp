#pragma once
/// A thread sleeps until a word in memory has changed and another thread wakes it.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace onehop::futex {

/// Says which processes sleep and wake at a word; within one process the kernel finds sleepers
/// faster.
enum class reach { process = FUTEX_PRIVATE_FLAG, all_processes = 0 };

/// Sleeps while `word` is `seen`, until woken. May return early.
inline void wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, reach who) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT | static_cast<int>(who), seen, nullptr, nullptr, 0);
}

/// Wakes one thread that sleeps at `word`.
inline void wake_one(std::atomic<std::uint32_t>& word, reach who) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE | static_cast<int>(who), 1, nullptr, nullptr, 0);
}

}  // namespace onehop::futex
