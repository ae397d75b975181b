#pragma once
/// Other libraries of this process may have memory and streams on a device.

#include <cstddef>

namespace onehop::cuda {

/// Returns the device whose memory this is; -1 for managed memory and that of the host, and without
/// a driver.
int device_of(const void* memory);

/// Lets what is enqueued on `follower` from now on wait for what `leader` holds now. Handles are
/// the runtime's: 1 is the legacy default stream, 2 that of the thread. Returns at once.
void order_streams(int device, void* follower, void* leader);

/// Copies in the order of `stream` and waits until the copy is done.
void copy_out(int device, void* to, const void* from, std::size_t bytes, void* stream);

}  // namespace onehop::cuda
