#pragma once
/// A shared_word is a number whose changes processes share and wait for.

#include <atomic>
#include <cstdint>

namespace onehop {

/// A shared_word of zero bytes has the value 0 and no waiters. A process may die at any
/// instruction.
class shared_word {
 public:
  /// Returns the value, and acquires what was written before the value was set.
  std::uint32_t value() const noexcept { return value_.load(std::memory_order_acquire); }
  /// Sets the value, and releases what has been written so far.
  void set(std::uint32_t value) noexcept;
  void add_one() noexcept;

  /// Returns once the value is not `seen`, or earlier. Spins briefly if that has paid before, then
  /// sleeps without a time limit, which costs the kernel less than sleeping with one.
  void wait_while(std::uint32_t seen) noexcept;

 private:
  void wake() noexcept;

  std::atomic<std::uint32_t> value_, sleepers_;
};

}  // namespace onehop
