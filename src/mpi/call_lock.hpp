#pragma once
/// Only one thread of a rank runs inside onehop's MPI at a time.

#include <pthread.h>

#include <atomic>
#include <mutex>

namespace onehop::mpi_abi {

/// The thread that is in a call of MPI holds the call_lock of its process. It may take the lock
/// again, since MPI calls functions of the program, which may call MPI.
class call_lock {
 public:
  /// Sets whether several threads may call MPI. Until MPI knows which level the program wants,
  /// several may.
  void share(bool among_threads) noexcept { shared_ = among_threads; }
  bool shared() const noexcept { return shared_.load(std::memory_order_relaxed); }
  bool is_mine() const noexcept { return owner_.load(std::memory_order_relaxed) == pthread_self(); }
  void take() noexcept;
  void give() noexcept;

  /// During a pause other threads may call MPI, even if this thread has taken the lock several
  /// times.
  class pause {
   public:
    explicit pause(call_lock& lock) noexcept;
    ~pause();
    pause(const pause&) = delete;
    pause& operator=(const pause&) = delete;

   private:
    call_lock& lock_;
    int depth_;
  };

 private:
  void wait_for_turn() noexcept;

  std::atomic<bool> shared_ = true;
  std::mutex mutex_;
  std::atomic<pthread_t> owner_ = 0;  ///< 0 while nobody holds the lock
  int depth_ = 0;                     ///< how many times the owner has taken the lock
};

inline call_lock& calls() noexcept {
  static constinit call_lock only;
  return only;
}

}  // namespace onehop::mpi_abi
