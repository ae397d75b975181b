#pragma once
/// A thread with a long slice lets threads that it wakes on its core run at once.

namespace onehop {

/// Linux (6.12 and later) runs of the threads that share a core the one whose slice ends first. A
/// thread that wakes another and then waits for it would otherwise go on until it waits, and be
/// woken itself when the other is through: with a long slice both calls of the kernel are saved
/// most of the time. How much a thread may run in all stays what it is.
class long_slice {
 public:
  /// The slice is that of the calling thread; where the kernel has none, nothing happens.
  long_slice() noexcept;
  ~long_slice();
  long_slice(const long_slice&) = delete;
  long_slice& operator=(const long_slice&) = delete;
};

}  // namespace onehop
