#pragma once
/// The identity of a caller distinguishes the threads of a process, and a forked process from its
/// parent.

#include <cstdint>

namespace onehop {

/// Counts the forks leading to this process, so that a forked child differs from its parent.
extern std::uint32_t forks_behind_us;

/// The bits by which threads differ. A library that admits one thread at a time, and treats all of
/// them as one caller, sets it to 0, so that no bits differ.
extern std::uintptr_t bits_of_threads;

/// A caller_identity is read with two instructions and no system call. A thread may have the same
/// identity as an earlier thread that has ended.
struct caller_identity {
  const void* thread = nullptr;
  std::uint32_t forks = 0;

  /// Equality takes one comparison, because it is used in the shortest calls.
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
