#pragma once
/// Memory that a rank exposes to the puts of others.

#include <onehop/context.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace onehop {

/// Registered once, collectively. A window of two banks (the default) lets a symmetric exchange run
/// without acknowledgements: one bank is read while the other is filled.
///
/// A copy is another handle on the same memory, which is freed, collectively, with the last one.
class window {
 public:
  /// Collective. Gives each rank `bytes` bytes per bank (they may differ from rank to rank, 0 is
  /// allowed), zeroed, aligned to a page, in the best memory the transport has.
  /// Throws resource_error on every rank when one of them has no room.
  static window allocate(const context& ctx, std::size_t bytes, int banks = 2);

  /// Moving copies, so that a window that was moved from is still one.
  window(const window&) = default;
  window& operator=(const window&) = default;

  /// Bytes of one bank at `rank`.
  std::size_t bytes(int rank) const;
  int banks() const noexcept;

  /// This rank's own memory.
  std::span<std::byte> local(int bank = 0) const;

  struct state;
  const std::shared_ptr<state>& shared() const noexcept { return state_; }

 private:
  explicit window(std::shared_ptr<state> shared) : state_(std::move(shared)) {}
  std::shared_ptr<state> state_;
};

}  // namespace onehop
