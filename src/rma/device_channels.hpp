#pragma once
/// What rma asks of those who carry chains from and to memory of devices. rma itself knows no
/// driver: a transport that serves such memory is given channels when a job is joined.

#include <memory>
#include <onehop/context.hpp>
#include <onehop/window.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rma/chain_check.hpp"
#include "rma/exposed_memory.hpp"
#include "transport/base/endpoint.hpp"

namespace onehop {

/// An endpoint of a chain in which memory of devices takes part.
class device_endpoint : public endpoint {
 public:
  /// Never asked: commit refuses puts of variable size where devices' memory takes part.
  std::size_t arrived_bytes(std::size_t, std::uint64_t) const final { return 0; }
  /// A start never waits: what has no room yet leaves during later calls.
  bool ready(std::uint64_t) final { return true; }
  /// Memory of a device takes part at this rank.
  virtual bool on_device() const noexcept = 0;
  /// What start enqueues comes after what `stream`, of the device's context, holds now.
  virtual void follow(void* stream) = 0;
  /// All of an arrival has come to the host; what is missing is up to this rank's device.
  virtual bool has_come(std::size_t arrival) const = 0;
  /// The stream waits for the exchange, and the host for nothing.
  virtual bool on_stream() const noexcept { return false; }
  /// The chain calls this once everything of the exchange has been asked for.
  virtual void completed() {}
  /// The stream has passed all that had been asked of it at the last `completed`.
  virtual bool stream_passed() { return true; }
  /// What keeps the stream, by rank.
  virtual std::vector<std::pair<int, std::string>> waited_for() { return {}; }
  /// Lets the stream go on, whatever it waits for; nothing that arrives is of use any more.
  virtual void release() noexcept {}
};

/// What one rank has described of a chain that touches memory of devices.
struct device_request {
  const context& ctx;
  const std::vector<local_view>& sources;
  const std::vector<int>& origins;
  std::span<std::byte> window;  ///< this rank's, of a registered window
  bool window_on_device;
  std::shared_ptr<exposed_memory> exposed;  ///< the window as the transport knows it
  bool wants_stream;                        ///< to wait for exchanges
};

/// Where the puts of a chain go, once that is planned.
struct device_plan {
  const chain_plan& plan;
  const std::vector<std::byte*>& homes;  ///< of the arrivals, in a registered window
  std::shared_ptr<exposed_memory> destination;
};

/// What carries a committed chain out, and the memory that names its exchanges on timelines.
struct device_carrier {
  std::unique_ptr<device_endpoint> runner;
  std::shared_ptr<exposed_memory> name;
};

/// One commit under way. Its calls are collective.
class device_commit {
 public:
  virtual ~device_commit() = default;
  /// Puts go straight to their windows: the transport is given addresses of devices' memory.
  virtual bool by_address() const noexcept = 0;
  /// Throws resource_error on all ranks where one has no memory for it.
  virtual device_carrier finish(const device_plan& planned) = 0;
};

class device_channels {
 public:
  virtual ~device_channels() = default;
  /// The driver says that this is memory of a device.
  virtual bool holds(const std::byte* data) const = 0;
  /// Collective. Finds how the puts of a checked chain reach their targets, and marks in `chain`
  /// those that a device writes itself. Both arguments live until the commit is finished. Throws
  /// usage_error where the transport takes no memory of devices, or a rank names two devices.
  virtual std::unique_ptr<device_commit> begin(const device_request& what,
                                               chain_description& chain) = 0;
};

/// This is memory of a device; never where the job's transport has no channels for any.
bool on_device(const context& ctx, const std::byte* data);

}  // namespace onehop
