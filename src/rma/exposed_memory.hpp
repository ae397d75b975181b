#pragma once
/// An exposed_memory is a handle on memory that all ranks have exposed together.

#include <functional>
#include <memory>
#include <onehop/context.hpp>
#include <span>

#include "transport/base/transport.hpp"

namespace onehop {

/// A handle may be dropped at any time and in any order, and dropping it never waits. The memory
/// returns to the transport at the first collective expose after every rank has dropped its handle.
class exposed_memory {
 public:
  /// Exposes new memory of `my_bytes`; collective. Throws resource_error on every rank if one of
  /// them has no room.
  static std::shared_ptr<exposed_memory> expose(const context& ctx, std::size_t my_bytes);
  /// Exposes existing memory, on a transport that can do so. Collective; throws as expose does.
  static std::shared_ptr<exposed_memory> expose_existing(const context& ctx,
                                                         std::span<std::byte> mine);
  /// Collective. Exposes the memory that the transport creates in order to be divided into groups.
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
