#pragma once
/// Memory and streams that other libraries of this process have on a device.

#include <cstddef>

namespace onehop::cuda {

/// The device whose memory this is; -1 for managed memory and that of the host, and without a
/// driver.
int device_of(const void* memory);

/// What is enqueued on `follower` from now on waits for what `leader` holds now. Handles as the
/// runtime has them: 1 the legacy default stream, 2 that of the thread. Returns at once.
void order_streams(int device, void* follower, void* leader);

/// Copies in the order of `stream` and waits until it is done.
void copy_out(int device, void* to, const void* from, std::size_t bytes, void* stream);

}  // namespace onehop::cuda
