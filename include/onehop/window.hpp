#pragma once
/// A window is memory that a rank exposes to the puts of other ranks.

#include <onehop/context.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace onehop {

/// A window is registered once, collectively. With two banks (the default), a symmetric exchange
/// needs no acknowledgements: one bank is read while the other is filled.
///
/// A copy is another handle on the same memory. Dropping a handle never waits. The memory is freed
/// by the first allocate, register_existing or commit after every rank has dropped its last handle.
class window {
 public:
  /// Gives each rank `bytes` bytes per bank, zeroed and aligned to a page, in the best memory that
  /// the transport has. The sizes may differ between ranks and may be 0. Collective. Throws on
  /// every rank: usage_error unless `banks` is 1 or 2 and the same on all, resource_error if any
  /// rank has no room.
  static window allocate(const context& ctx, std::size_t bytes, int banks = 2);

  /// Exposes each rank's own `memory`; collective. The memory stays the caller's and must outlive
  /// the window and its chains; sizes may differ between ranks. The window has one bank.
  ///
  /// The CUDA driver tells from the address whether the memory belongs to a device; one rank may
  /// expose device memory and another host memory. See put_chain::set_stream.
  ///
  /// Other ranks need not be able to reach this memory directly: what they send arrives in a
  /// landing zone of the chain, and this rank copies it to `memory` in wait or test. This costs a
  /// copy, and extra memory of twice the bytes that arrive. The memory changes at no other time,
  /// so no put needs to wait for its reader; device memory, however, is written from start on, as
  /// described for put_chain. If you can choose the memory, allocate is faster.
  static window register_existing(const context& ctx, std::span<std::byte> memory);

  /// Copies the handle even when moved from, so a window that was moved from still names its
  /// memory.
  window(const window&) = default;
  window& operator=(const window&) = default;

  /// Returns the bytes of one bank at `rank`. Throws usage_error for a rank outside the job. Not
  /// collective.
  std::size_t bytes(int rank) const;
  int banks() const noexcept;
  /// Returns whether this rank's memory belongs to a device; if so, local returns a device address.
  bool on_device() const noexcept;

  /// Returns this rank's own memory of one bank. Throws usage_error for a bank that the window does
  /// not have. A chain with two banks fills bank 0 in odd exchanges (the first exchange is number
  /// 1) and bank 1 in even ones; put_chain::arrived returns the correct bank.
  std::span<std::byte> local(int bank = 0) const;

  struct state;
  const std::shared_ptr<state>& shared() const noexcept { return state_; }

 private:
  explicit window(std::shared_ptr<state> shared) : state_(std::move(shared)) {}
  std::shared_ptr<state> state_;
};

}  // namespace onehop
