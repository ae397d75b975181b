#pragma once
/// A window is memory that a rank exposes to the puts of others.

#include <onehop/context.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace onehop {

/// A window is registered once, collectively. Two banks (the default) let a symmetric exchange run
/// without acknowledgements: one bank is read while the other is filled.
///
/// A copy is another handle on the same memory. Dropping a handle never waits; the memory is free
/// again at the first allocate, register_existing or commit after the last handle of every rank was
/// dropped.
class window {
 public:
  /// Gives each rank `bytes` bytes per bank (they may differ from rank to rank, 0 is allowed),
  /// zeroed, aligned to a page, in the best memory the transport has. Collective. Throws on every
  /// rank usage_error unless `banks` is 1 or 2 and the same on all, and resource_error when one of
  /// them has no room.
  static window allocate(const context& ctx, std::size_t bytes, int banks = 2);

  /// Exposes each rank's own `memory`; collective. It stays the caller's and must outlive the
  /// window and its chains; sizes may differ from rank to rank. The window has one bank.
  ///
  /// The CUDA driver tells by the address whether the memory is a device's; one rank may expose a
  /// device's and another the host's. See put_chain::set_stream.
  ///
  /// Other ranks need not be able to reach this memory: what they send arrives in a landing zone of
  /// the chain, and this rank copies it to `memory` in wait or test, which costs that copy and
  /// twice the bytes that arrive. Nothing changes the memory at any other time, so no put needs to
  /// wait for its reader; memory of a device is written from start on, as put_chain says. Where
  /// memory can be chosen, allocate is faster.
  static window register_existing(const context& ctx, std::span<std::byte> memory);

  /// Moving copies the handle, so that a window that was moved from still names its memory.
  window(const window&) = default;
  window& operator=(const window&) = default;

  /// Returns the bytes of one bank at `rank`; throws usage_error for a rank outside the job. Not
  /// collective.
  std::size_t bytes(int rank) const;
  int banks() const noexcept;
  /// Returns whether this rank's memory is a device's; local then returns an address on the device.
  bool on_device() const noexcept;

  /// Returns this rank's own memory of one bank; throws usage_error for a bank that the window does
  /// not have. A chain with two banks fills bank 0 in odd exchanges, of which the first is 1, and
  /// bank 1 in even ones; put_chain::arrived returns the right one.
  std::span<std::byte> local(int bank = 0) const;

  struct state;
  const std::shared_ptr<state>& shared() const noexcept { return state_; }

 private:
  explicit window(std::shared_ptr<state> shared) : state_(std::move(shared)) {}
  std::shared_ptr<state> state_;
};

}  // namespace onehop
