#pragma once
/// The identity of a caller tells the threads of a process apart, and a process from the one it was
/// forked from.

#include <cstdint>

namespace onehop {

/// Counts the forks behind this process, so that it differs in a forked child from its parent.
extern std::uint32_t forks_behind_us;

/// The bits by which threads differ: none once a library that lets one of them in at a time, and
/// takes what they do for its own, has set it to 0.
extern std::uintptr_t bits_of_threads;

/// A caller_identity is read in two instructions and no system call. A thread that has ended may
/// share its identity with a later one.
struct caller_identity {
  const void* thread = nullptr;
  std::uint32_t forks = 0;

  /// Equality takes one comparison, since it stands in the shortest calls.
  bool operator==(const caller_identity& other) const noexcept {
    return (((reinterpret_cast<std::uintptr_t>(thread) ^
              reinterpret_cast<std::uintptr_t>(other.thread)) &
             bits_of_threads) |
            (forks ^ other.forks)) == 0;
  }
};

inline caller_identity this_caller() noexcept {
  return {__builtin_thread_pointer(), forks_behind_us};
}

}  // namespace onehop
