#pragma once
/// The identity of a caller tells the threads of a process apart, and a process from the one it was
/// forked from.

#include <cstdint>

namespace onehop {

/// Counts the forks behind this process, so that it differs in a forked child from its parent.
extern std::uint32_t forks_behind_us;

/// A caller_identity is read in two instructions and no system call. A thread that has ended may
/// share its identity with a later one.
struct caller_identity {
  const void* thread = nullptr;
  std::uint32_t forks = 0;

  /// Equality takes one comparison, since it stands in the shortest calls.
  bool operator==(const caller_identity& other) const noexcept {
    return ((reinterpret_cast<std::uintptr_t>(thread) ^
             reinterpret_cast<std::uintptr_t>(other.thread)) |
            (forks ^ other.forks)) == 0;
  }
};

inline caller_identity this_caller() noexcept {
  return {__builtin_thread_pointer(), forks_behind_us};
}

}  // namespace onehop
