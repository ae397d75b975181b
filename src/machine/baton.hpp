#pragma once
/// A baton lets one of several threads run at a time: the others sleep until it is handed to them.

#include <condition_variable>
#include <mutex>

namespace onehop {

/// std::binary_semaphore is not used: it yields several times before it sleeps, which on a busy
/// machine costs as many turns of the scheduler for every hand-over.
class baton {
 public:
  void release() {
    const std::lock_guard lock(mutex_);
    here_ = true;
    handed_.notify_one();
  }
  void acquire() {
    std::unique_lock lock(mutex_);
    handed_.wait(lock, [&] { return here_; });
    here_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable handed_;
  bool here_ = false;
};

}  // namespace onehop
