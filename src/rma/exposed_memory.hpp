#pragma once
/// An exposed_memory is a handle on memory that all ranks exposed together.

#include <functional>
#include <memory>
#include <onehop/context.hpp>
#include <span>

#include "transport/base/transport.hpp"

namespace onehop {

/// The memory goes back to the transport at the first collective expose after every rank has
/// dropped its handle, so that a handle may be dropped at any time, in any order, and never waits.
class exposed_memory {
 public:
  /// Exposes new memory of `my_bytes`; collective. Throws resource_error on every rank when one of
  /// them has no room.
  static std::shared_ptr<exposed_memory> expose(const context& ctx, std::size_t my_bytes);
  /// Exposes memory that exists, on a transport that can. Collective; throws as expose does.
  static std::shared_ptr<exposed_memory> expose_existing(const context& ctx,
                                                         std::span<std::byte> mine);
  /// Collective. What the transport makes to be divided into groups.
  static std::shared_ptr<exposed_memory> divide(const context& ctx, const partition& how);
  ~exposed_memory();
  exposed_memory(const exposed_memory&) = delete;
  exposed_memory& operator=(const exposed_memory&) = delete;

  memory_id id() const noexcept { return id_; }
  std::span<std::byte> local() const { return transport_of(ctx_).local(id_); }

 private:
  exposed_memory(const context& ctx, memory_id id) : ctx_(ctx), id_(id) {}
  static std::shared_ptr<exposed_memory> make(const context& ctx,
                                              const std::function<memory_id()>& expose);

  context ctx_;
  memory_id id_;
};

}  // namespace onehop
