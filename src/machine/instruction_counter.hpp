#pragma once
/// The processor counts the instructions of a thread, if the machine offers such counters.

#include <cstdint>
#include <string>

namespace onehop {

class instruction_counter {
 public:
  /// Counts the instructions of the calling thread from now on, without those that the kernel
  /// executes for it. Throws resource_error if the machine offers no counter that works.
  instruction_counter();
  ~instruction_counter();
  instruction_counter(const instruction_counter&) = delete;
  instruction_counter& operator=(const instruction_counter&) = delete;

  /// Returns the instructions counted so far.
  std::int64_t count() noexcept;
  /// Throws resource_error if another user has taken the counter meanwhile.
  void require_counting() const;

 private:
  int file_;
  std::int64_t last_ = 0;
  bool is_lost_ = false;
};

/// Returns why the instructions of this thread cannot be counted here; empty if they can.
std::string instruction_counter_problem();

}  // namespace onehop
