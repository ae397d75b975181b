#pragma once
/// Other libraries of this process may have memory and streams on a device.

#include <cstddef>

namespace onehop::device {

/// Lets what is enqueued on the stream `follower` from now on wait for what `leader` holds now,
/// both of the context of `memory`. A handle of 1 is the legacy default stream, 2 that of the
/// thread. Returns at once. Throws usage_error for memory of no device.
void order_streams(void* follower, void* leader, const void* memory);

/// Copies from a device's memory to the host's, in the order of `stream`, and waits until it is
/// done. Throws usage_error for memory of no device.
void copy_from_device(void* to, const void* from, std::size_t bytes, void* stream);

}  // namespace onehop::device
