#pragma once
/// This is the interface through which rma moves chains from and to memory of devices. rma itself
/// knows no driver; a transport that serves such memory receives its channels when a job is joined.

#include <memory>
#include <onehop/context.hpp>
#include <onehop/reduction.hpp>
#include <onehop/window.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rma/chain_description.hpp"
#include "rma/exposed_memory.hpp"
#include "transport/base/endpoint.hpp"

namespace onehop {

/// A device_endpoint is an endpoint of a chain that uses memory of devices.
class device_endpoint : public endpoint {
 public:
  /// A start never waits: puts that have no room yet leave during later calls.
  bool ready(std::uint64_t) final { return true; }
  /// Returns whether this rank uses memory of a device.
  virtual bool on_device() const noexcept = 0;
  /// Orders all that start enqueues after the work that is now on `stream`, of the device's
  /// context.
  virtual void follow(void* stream) = 0;
  /// Returns whether all bytes of an arrival have reached the host. From there this rank's device
  /// moves them on.
  virtual bool has_come(std::size_t arrival) const = 0;
  /// Returns whether the stream waits for the exchange instead of the host.
  virtual bool on_stream() const noexcept { return false; }
  /// The chain calls this once the host has seen or enqueued all of the exchange.
  virtual void completed() {}
  /// Returns whether the stream has passed all work that was on it at the last call of `completed`.
  virtual bool stream_passed() { return true; }
  /// Returns the ranks for which the stream waits, each with a description of what is missing.
  virtual std::vector<std::pair<int, std::string>> waited_for() { return {}; }
  /// Releases the stream from any wait. Data that arrives later is no longer used.
  virtual void release() noexcept {}
};

/// A device_request is one rank's description of a chain that touches memory of devices.
struct device_request {
  const context& ctx;
  const std::vector<local_view>& sources;
  const std::vector<int>& origins;
  std::span<std::byte> window;  ///< memory of this rank, if the window is a registered one
  bool window_on_device;
  std::shared_ptr<exposed_memory> exposed;  ///< the window as the transport knows it
  bool wants_stream;                        ///< the stream is to wait for exchanges
};

/// A device_plan says where the puts of a chain go, once they are planned.
struct device_plan {
  const chain_plan& plan;
  const std::vector<std::byte*>& homes;  ///< addresses of the arrivals in a registered window
  std::shared_ptr<exposed_memory> destination;
};

/// A device_carrier holds the endpoint of a committed chain and the memory whose name marks its
/// exchanges on timelines.
struct device_carrier {
  std::unique_ptr<device_endpoint> runner;
  std::shared_ptr<exposed_memory> name;
};

/// A device_commit is a commit in progress. Its calls are collective.
class device_commit {
 public:
  virtual ~device_commit() = default;
  /// Returns whether puts go straight to their windows, because the transport takes addresses of
  /// devices' memory.
  virtual bool by_address() const noexcept = 0;
  /// Makes the endpoint. Throws resource_error on all ranks if one of them has no memory for it.
  virtual device_carrier finish(const device_plan& planned) = 0;
};

/// A mirrored_part is memory of the host or of a device that a collective reads, writes or both.
struct mirrored_part {
  std::byte* data;
  std::size_t bytes;
  bool is_read, is_written;
};

/// A device_mirror holds copies in pinned host memory. A collective works on them instead of on the
/// device memory that it was given.
class device_mirror {
 public:
  virtual ~device_mirror() = default;
  /// Returns the copy of a part, or the part itself if it is memory of the host.
  virtual std::span<std::byte> host(std::size_t part) const = 0;
  /// Enqueues copies of the parts that are read, behind the work that is now on `stream`. Throws
  /// resource_error if the driver fails, as all calls here do.
  virtual void bring_out(void* stream) = 0;
  /// Enqueues copies of the parts that are written back to the device.
  virtual void bring_in() = 0;
  /// Returns whether all enqueued work is done. Only then may the host use the copies.
  virtual bool done() const = 0;
};

/// A device_worker processes on a device the data that a collective received, on a stream of its
/// own. Its calls enqueue work and return. They throw resource_error if the driver fails.
class device_worker {
 public:
  virtual ~device_worker() = default;
  virtual void* stream() const noexcept = 0;
  /// Orders all work that is enqueued from now on after the work that is now on `stream`.
  virtual void follow(void* stream) = 0;
  /// Returns memory of the device into which other ranks write. It lasts as long as the worker.
  virtual std::span<std::byte> landing(std::size_t bytes) = 0;
  virtual void copy(std::span<const std::byte> from, std::byte* to) = 0;
  /// Sets `into` to from[0], combined with from[1] and so on in this order. from[own] holds this
  /// rank's values and may be `into`. The contents of the others are lost.
  virtual void combine(std::span<const std::byte* const> from, std::size_t own,
                       std::span<std::byte> into, const combiner& how) = 0;
  virtual void mark() = 0;
  /// Returns whether all work is done that was enqueued before the last mark.
  virtual bool done() const = 0;
};

/// A found_worker holds a worker, or the reason why there is none.
struct found_worker {
  std::unique_ptr<device_worker> worker;
  std::string problem;
};

class device_channels {
 public:
  std::optional<void*> stream;  ///< stream that this rank's collectives follow

  virtual ~device_channels() = default;
  /// Returns whether the driver reports this as memory of a device.
  virtual bool holds(const std::byte* data) const = 0;
  /// Returns whether the driver moves this memory between host and devices (managed memory).
  virtual bool is_managed(const std::byte* data) const = 0;
  /// Decides how the puts of a checked chain reach their targets, and marks in `chain` those that a
  /// device writes itself. Collective. Both arguments must live until the commit is finished.
  /// Throws usage_error if the transport takes no memory of devices, or a rank names two devices.
  virtual std::unique_ptr<device_commit> begin(const device_request& what,
                                               chain_description& chain) = 0;
  /// Returns copies of these parts, or null if all are memory of the host. Not collective. Throws
  /// usage_error for memory of two devices, for managed memory, and if the transport takes no
  /// memory of devices.
  virtual std::unique_ptr<device_mirror> mirror(const context& ctx,
                                                std::vector<mirrored_part> parts) = 0;
  /// Finds who can do a collective on the device that holds all of these parts. `combine` is null
  /// if nothing is combined. Not collective. Throws usage_error for memory of two devices.
  virtual found_worker find_worker(const context& ctx, const std::vector<mirrored_part>& parts,
                                   const combiner* combine) = 0;
};

/// Returns whether this is memory of a device; false if the job's transport has no channels for
/// such memory.
bool on_device(const context& ctx, const std::byte* data);

}  // namespace onehop
