#pragma once
/// The processor counts the instructions of a thread, where the machine offers such counters.

#include <cstdint>
#include <string>

namespace onehop {

class instruction_counter {
 public:
  /// Counts the instructions of the calling thread from now on, without those of the kernel for
  /// it. Throws resource_error where the machine offers no counter that does.
  instruction_counter();
  ~instruction_counter();
  instruction_counter(const instruction_counter&) = delete;
  instruction_counter& operator=(const instruction_counter&) = delete;

  /// Returns the instructions so far, as far as they have been counted.
  std::int64_t count() noexcept;
  /// Throws resource_error where somebody else has taken the counter meanwhile.
  void require_counting() const;

 private:
  int file_;
  std::int64_t last_ = 0;
  bool is_lost_ = false;
};

/// Returns why the instructions of this thread cannot be counted here; empty where they can.
std::string instruction_counter_problem();

}  // namespace onehop
