#pragma once
/// A number that processes share and wait for to change.

#include <atomic>
#include <chrono>
#include <cstdint>

namespace onehop {

/// Zero bytes are a word of value 0 that nobody waits for. A process may die at any instruction.
class shared_word {
 public:
  /// Acquires what was written before the value was set.
  std::uint32_t value() const noexcept { return value_.load(std::memory_order_acquire); }
  /// Releases what has been written so far.
  void set(std::uint32_t value) noexcept;
  void add_one() noexcept;

  /// Returns once the value is not `seen`, or after `longest`, or before. Looks at it for a moment
  /// where that has been worth it, then sleeps.
  void wait_while(std::uint32_t seen, std::chrono::nanoseconds longest) noexcept;

 private:
  void wake() noexcept;

  std::atomic<std::uint32_t> value_, sleepers_;
};

}  // namespace onehop
