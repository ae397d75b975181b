#pragma once
/// Other libraries of this process may have memory and streams on a device.

#include <cstddef>

namespace onehop::device {

/// Makes everything enqueued on the stream `follower` from now on wait for the present contents of
/// `leader`; both belong to the context of `memory`. A handle of 1 is the legacy default stream, 2
/// the per-thread one. Returns at once. Throws usage_error if the memory belongs to no device.
void order_streams(void* follower, void* leader, const void* memory);

/// Copies from device memory to host memory, in the order of `stream`, and waits until it is done.
/// Throws usage_error if the memory belongs to no device.
void copy_from_device(void* to, const void* from, std::size_t bytes, void* stream);

}  // namespace onehop::device
