#pragma once
/// A thread with a long slice lets threads that it wakes on its core run immediately.

namespace onehop {

/// Among threads that share a core, Linux (6.12 and later) runs the one whose slice ends first. A
/// thread that wakes another and then waits for it would otherwise continue until it waits, and
/// have to be woken when the other has finished; a long slice usually saves both system calls. A
/// thread's total share of time does not change.
class long_slice {
 public:
  /// The slice belongs to the calling thread; if the kernel has no slices, nothing happens.
  long_slice() noexcept;
  ~long_slice();
  long_slice(const long_slice&) = delete;
  long_slice& operator=(const long_slice&) = delete;
};

}  // namespace onehop
