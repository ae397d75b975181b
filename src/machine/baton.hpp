#pragma once
/// A baton lets one of several threads run at a time: the others sleep until it is handed to them.

#include <atomic>
#include <cstdint>

#include "machine/futex.hpp"

namespace onehop {

/// std::binary_semaphore is not used: it yields several times before it sleeps, which on a busy
/// machine costs as many turns of the scheduler for every hand-over. A condition variable wakes a
/// thread that has to take its mutex first, and takes twice the processor time.
class baton {
 public:
  void release() noexcept {
    here_.store(1, std::memory_order_release);
    futex::wake_one(here_, futex::reach::process);
  }
  void acquire() noexcept {
    while (here_.load(std::memory_order_acquire) == 0) futex::wait(here_, 0, futex::reach::process);
    here_.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint32_t> here_ = 0;
};

}  // namespace onehop
