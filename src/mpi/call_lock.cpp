#include "mpi/call_lock.hpp"

#include <sched.h>

#include <utility>

#include "machine/relax.hpp"

namespace onehop::mpi_abi {

// A thread that waits in MPI releases the lock only for moments. A thread asleep in the kernel
// would miss them, so this one spins and yields first.
void call_lock::wait_for_turn() noexcept {
  constexpr int spins = 100, yields = 20;
  for (int turn = 0; turn < spins + yields; ++turn) {
    if (mutex_.try_lock()) return;
    if (turn < spins)
      relax();
    else
      sched_yield();
  }
  mutex_.lock();
}

void call_lock::take() noexcept {
  if (!is_mine()) {
    wait_for_turn();
    owner_ = pthread_self();
  }
  ++depth_;
}

void call_lock::give() noexcept {
  if (--depth_ > 0) return;
  owner_ = 0;
  mutex_.unlock();
}

call_lock::pause::pause(call_lock& lock) noexcept
    : lock_(lock), depth_(lock.is_mine() ? std::exchange(lock.depth_, 1) : 0) {
  if (depth_ > 0) lock_.give();
}

call_lock::pause::~pause() {
  if (depth_ == 0) return;
  lock_.take();
  lock_.depth_ = depth_;
}

}  // namespace onehop::mpi_abi
