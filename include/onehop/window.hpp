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
/// A copy is another handle on the same memory. Dropping a handle never waits; the memory is free
/// again at the first allocate, register_existing or commit after the last handle of every rank.
class window {
 public:
  /// Collective. Gives each rank `bytes` bytes per bank (they may differ from rank to rank, 0 is
  /// allowed), zeroed, aligned to a page, in the best memory the transport has.
  /// Throws, on every rank, usage_error unless `banks` is 1 or 2 and the same on all,
  /// resource_error when one of them has no room.
  static window allocate(const context& ctx, std::size_t bytes, int banks = 2);

  /// Collective. Exposes each rank's own `memory`, which stays the caller's and must outlive the
  /// window and its chains; sizes may differ from rank to rank. The window has one bank.
  ///
  /// Memory of a device is known by its address, as the CUDA driver tells; it may differ from rank
  /// to rank what memory it is. See put_chain::set_stream.
  ///
  /// Other ranks need not be able to reach this memory: what they send comes to a landing zone of
  /// the chain, and this rank copies it home in wait or test, which costs that copy and twice the
  /// bytes that arrive. Nothing changes the memory at any other time, so no put needs to wait for
  /// its reader. Where memory can be chosen, allocate is faster.
  static window register_existing(const context& ctx, std::span<std::byte> memory);

  /// Moving copies, so that a window that was moved from is still one.
  window(const window&) = default;
  window& operator=(const window&) = default;

  /// Bytes of one bank at `rank`; throws usage_error for a rank outside the job. Not collective.
  std::size_t bytes(int rank) const;
  int banks() const noexcept;
  /// This rank's memory is a device's: local gives its address there.
  bool on_device() const noexcept;

  /// This rank's own memory of one bank; throws usage_error for a bank that the window does not
  /// have. Of two banks a chain fills bank 0 in odd exchanges, the first is 1, and bank 1 in even
  /// ones; put_chain::arrived knows.
  std::span<std::byte> local(int bank = 0) const;

  struct state;
  const std::shared_ptr<state>& shared() const noexcept { return state_; }

 private:
  explicit window(std::shared_ptr<state> shared) : state_(std::move(shared)) {}
  std::shared_ptr<state> state_;
};

}  // namespace onehop
