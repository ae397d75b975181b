#pragma once
/// Collectives that were given memory of a device work here on copies in the host's memory.
///
/// The copies are whole. Combining needs the values of all ranks in one place, and the host has
/// them; a device would have to receive every rank's values instead of the result alone.

#include <functional>
#include <initializer_list>
#include <memory>
#include <onehop/collectives.hpp>
#include <span>
#include <vector>

#include "rma/device_channels.hpp"
#include "transport/base/transport.hpp"

namespace onehop {

inline mirrored_part part_of(std::span<std::byte> memory, bool is_read, bool is_written) {
  return {memory.data(), memory.size(), is_read, is_written};
}
inline mirrored_part changed_part(std::span<std::byte> memory) {
  return part_of(memory, true, true);
}
inline mirrored_part written_part(std::span<std::byte> memory) {
  return part_of(memory, false, true);
}
/// Memory that is only read is never written.
inline mirrored_part read_part(std::span<const std::byte> memory) {
  return {const_cast<std::byte*>(memory.data()), memory.size(), true, false};
}

/// Returns whether collectives may be given memory of devices.
inline bool follows_stream(const context& ctx) {
  const device_channels* const channels = transport_of(ctx).device_channels();
  return channels != nullptr && channels->stream.has_value();
}

/// Throws usage_error about memory of a device if no stream is named.
void require_stream(const context& ctx);
/// Returns the copies of these parts, or null if all are memory of the host. Throws usage_error for
/// memory of a device if no stream is named.
std::unique_ptr<device_mirror> mirror_of(const context& ctx, std::vector<mirrored_part> parts);
/// Waits until the enqueued copies are done.
void await_copies(const context& ctx, const device_mirror& copies);
/// Finds who does a collective on devices alone. `combine` is null if nothing is combined.
found_worker find_worker(const context& ctx, const std::vector<mirrored_part>& parts,
                         const combiner* combine);
/// Copies the parts that are read, ordered on the context's stream, and waits for the copies.
void bring_out(const context& ctx, device_mirror& copies);
/// Copies the parts that are written back to the device, and waits for the copies.
void bring_in(const context& ctx, device_mirror& copies);
/// Returns the bytes of memory of the host or of a device.
std::vector<std::byte> copied_to_host(const context& ctx, std::span<const std::byte> memory);

/// If a part is memory of a device, calls `run` with copies and returns true. Otherwise does
/// nothing and returns false. Without a stream this costs only one comparison.
template <class Run>
bool run_mirrored(const context& ctx, std::initializer_list<mirrored_part> parts, Run&& run) {
  if (!follows_stream(ctx)) [[likely]]
    return false;
  const std::unique_ptr<device_mirror> copies = mirror_of(ctx, parts);
  if (!copies) return false;
  bring_out(ctx, *copies);
  run(*copies);
  bring_in(ctx, *copies);
  return true;
}

/// A host_blocks object holds blocks to be sent, in memory that the host can read.
class host_blocks {
 public:
  host_blocks(const context& ctx, std::span<const std::span<const std::byte>> blocks);
  std::span<const std::span<const std::byte>> blocks() const noexcept { return blocks_; }

 private:
  std::unique_ptr<device_mirror> copies_;
  std::vector<std::span<const std::byte>> blocks_;
};

/// A device_places object collects blocks destined for memory of a device until all have arrived.
class device_places {
 public:
  device_places(const context& ctx, const receive_place& wanted);
  device_places(const device_places&) = delete;
  device_places& operator=(const device_places&) = delete;

  const receive_place& place() const noexcept { return place_; }
  /// Copies the arrived blocks to the device, and waits for the copies.
  void fill();

 private:
  struct kept_block {
    std::span<std::byte> home;
    std::vector<std::byte> bytes;
  };

  const context& ctx_;
  std::vector<kept_block> kept_;
  receive_place place_;
};

}  // namespace onehop
