#pragma once
/// One thread of a rank at a time is within onehop's MPI.

#include <pthread.h>

#include <atomic>
#include <mutex>

namespace onehop::mpi_abi {

/// The call_lock of a process is held by the thread whose call of MPI runs. The thread may take it
/// again, since functions of the program that MPI calls may call MPI.
class call_lock {
 public:
  /// Says whether calls may come from several threads. They may until MPI knows what the program
  /// asks for.
  void share(bool among_threads) noexcept { shared_ = among_threads; }
  bool shared() const noexcept { return shared_.load(std::memory_order_relaxed); }
  bool is_mine() const noexcept { return owner_.load(std::memory_order_relaxed) == pthread_self(); }
  void take() noexcept;
  void give() noexcept;

  /// While a pause lives, other threads may call MPI, however often this one has taken the lock.
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
  std::atomic<pthread_t> owner_ = 0;  ///< 0 while nobody holds it
  int depth_ = 0;                     ///< how often its owner has taken it
};

inline call_lock& calls() noexcept {
  static constinit call_lock only;
  return only;
}

}  // namespace onehop::mpi_abi
