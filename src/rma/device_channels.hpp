#pragma once
/// rma takes from here what carries chains from and to memory of devices. rma itself knows no
/// driver: a transport that serves such memory is given channels when a job is joined.

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

/// A device_endpoint is an endpoint of a chain in which memory of devices takes part.
class device_endpoint : public endpoint {
 public:
  /// A start never waits: what has no room yet leaves during later calls.
  bool ready(std::uint64_t) final { return true; }
  /// Returns whether memory of a device takes part at this rank.
  virtual bool on_device() const noexcept = 0;
  /// Orders what start enqueues after what is enqueued now on `stream`, of the device's context.
  virtual void follow(void* stream) = 0;
  /// Returns whether all of an arrival has come to the host; the rest of its way is up to this
  /// rank's device.
  virtual bool has_come(std::size_t arrival) const = 0;
  /// Returns whether the stream, and not the host, waits for the exchange.
  virtual bool on_stream() const noexcept { return false; }
  /// The chain calls this once the host has seen or enqueued everything of the exchange.
  virtual void completed() {}
  /// Returns whether the stream has passed all that was enqueued on it at the last `completed`.
  virtual bool stream_passed() { return true; }
  /// Returns the ranks that the stream waits for, each with what it waits for.
  virtual std::vector<std::pair<int, std::string>> waited_for() { return {}; }
  /// Lets the stream go on, whatever it waits for; what arrives is not used any more.
  virtual void release() noexcept {}
};

/// A device_request is what one rank has described of a chain that touches memory of devices.
struct device_request {
  const context& ctx;
  const std::vector<local_view>& sources;
  const std::vector<int>& origins;
  std::span<std::byte> window;  ///< memory of this rank, where the window is a registered one
  bool window_on_device;
  std::shared_ptr<exposed_memory> exposed;  ///< the window as the transport knows it
  bool wants_stream;                        ///< the stream is to wait for exchanges
};

/// A device_plan says where the puts of a chain go, once that is planned.
struct device_plan {
  const chain_plan& plan;
  const std::vector<std::byte*>& homes;  ///< addresses of the arrivals in a registered window
  std::shared_ptr<exposed_memory> destination;
};

/// A device_carrier is the endpoint of a committed chain with the memory that names its exchanges
/// on timelines.
struct device_carrier {
  std::unique_ptr<device_endpoint> runner;
  std::shared_ptr<exposed_memory> name;
};

/// A device_commit is one commit under way. Its calls are collective.
class device_commit {
 public:
  virtual ~device_commit() = default;
  /// Returns whether puts go straight to their windows, the transport being given addresses of
  /// devices' memory.
  virtual bool by_address() const noexcept = 0;
  /// Makes the endpoint. Throws resource_error on all ranks where one has no memory for it.
  virtual device_carrier finish(const device_plan& planned) = 0;
};

/// A mirrored_part is memory that a collective reads, writes or both, of the host or of a device.
struct mirrored_part {
  std::byte* data;
  std::size_t bytes;
  bool is_read, is_written;
};

/// A device_mirror has copies in pinned memory of the host, on which a collective works in place of
/// the memory of a device that it was given.
class device_mirror {
 public:
  virtual ~device_mirror() = default;
  /// Returns the copy of a part; the part itself where that is memory of the host.
  virtual std::span<std::byte> host(std::size_t part) const = 0;
  /// Enqueues copies of what is read, behind what `stream` holds now. Throws resource_error, as
  /// everything here does where the driver fails.
  virtual void bring_out(void* stream) = 0;
  /// Enqueues copies of what is written to the device.
  virtual void bring_in() = 0;
  /// Returns whether all that was enqueued is done. The host uses the copies only then.
  virtual bool done() const = 0;
};

/// A device_worker does on a device what a collective does with what came, on a stream of its own.
/// Its calls enqueue and return; they throw resource_error where the driver fails.
class device_worker {
 public:
  virtual ~device_worker() = default;
  virtual void* stream() const noexcept = 0;
  /// Orders what is enqueued from now on after what `stream` holds now.
  virtual void follow(void* stream) = 0;
  /// Returns memory of the device for others to write, which lasts as long as the worker.
  virtual std::span<std::byte> landing(std::size_t bytes) = 0;
  virtual void copy(std::span<const std::byte> from, std::byte* to) = 0;
  /// Sets `into` to from[0], combined with from[1] and so on in this order. from[own] are the
  /// values of this rank, which may be `into`; what lies at the others is lost.
  virtual void combine(std::span<const std::byte* const> from, std::size_t own,
                       std::span<std::byte> into, const combiner& how) = 0;
  virtual void mark() = 0;
  /// Returns whether all is done that was enqueued before the last mark.
  virtual bool done() const = 0;
};

/// A found_worker is a worker, or why there is none.
struct found_worker {
  std::unique_ptr<device_worker> worker;
  std::string problem;
};

class device_channels {
 public:
  std::optional<void*> stream;  ///< stream that collectives of this rank follow

  virtual ~device_channels() = default;
  /// Returns whether the driver says that this is memory of a device.
  virtual bool holds(const std::byte* data) const = 0;
  /// Returns whether the driver moves this memory between host and devices.
  virtual bool is_managed(const std::byte* data) const = 0;
  /// Finds how the puts of a checked chain reach their targets, and marks in `chain` those that a
  /// device writes itself. Collective. Both arguments live until the commit is finished. Throws
  /// usage_error where the transport takes no memory of devices, or a rank names two devices.
  virtual std::unique_ptr<device_commit> begin(const device_request& what,
                                               chain_description& chain) = 0;
  /// Returns copies of these parts; null where all are memory of the host. Not collective. Throws
  /// usage_error for memory of two devices, for managed memory, and where the transport takes no
  /// memory of devices.
  virtual std::unique_ptr<device_mirror> mirror(const context& ctx,
                                                std::vector<mirrored_part> parts) = 0;
  /// Finds who can do a collective on these parts on the device where they all lie; `combine` is
  /// null where nothing is combined. Not collective. Throws usage_error for memory of two devices.
  virtual found_worker find_worker(const context& ctx, const std::vector<mirrored_part>& parts,
                                   const combiner* combine) = 0;
};

/// Returns whether this is memory of a device; false where the job's transport has no channels for
/// any.
bool on_device(const context& ctx, const std::byte* data);

}  // namespace onehop
