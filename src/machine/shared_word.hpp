#pragma once
/// A shared_word is a number that processes share and wait for to change.

#include <atomic>
#include <cstdint>

namespace onehop {

/// A shared_word of zero bytes has the value 0 and nobody waits for it. A process may die at any
/// instruction.
class shared_word {
 public:
  /// Returns the value, and acquires what was written before it was set.
  std::uint32_t value() const noexcept { return value_.load(std::memory_order_acquire); }
  /// Sets the value, and releases what has been written so far.
  void set(std::uint32_t value) noexcept;
  void add_one() noexcept;

  /// Returns once the value is not `seen`, or before. Looks at the value for a moment where that
  /// has paid before, then sleeps without a limit, which takes the kernel less than one with it.
  void wait_while(std::uint32_t seen) noexcept;

 private:
  void wake() noexcept;

  std::atomic<std::uint32_t> value_, sleepers_;
};

}  // namespace onehop
