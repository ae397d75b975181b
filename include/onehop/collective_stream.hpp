#pragma once
/// Collectives accept memory of a CUDA device once the stream that uses this memory has been named.

#include <onehop/context.hpp>

#include <optional>

namespace onehop {

/// Names the stream of the device whose memory this rank passes to collectives, in the job and in
/// all of its groups: a CUstream or cudaStream_t, or null for the default stream. Afterwards onehop
/// asks the driver whether each address belongs to the host or to a device, which may differ
/// between ranks and between arguments. Put chains, and therefore halos, name their own streams.
///
/// A collective reads and changes device memory after the work that the stream holds when the
/// collective is called or started. When the call returns, or the collective has been waited for,
/// its results are visible to any stream. They have the same bits as results in host memory. The
/// device copies the whole input to pinned memory, the host does the collective, and the device
/// copies the output back; only long persistent collectives go directly between devices. Receivers
/// of sparse_exchange get host memory.
///
/// If no stream is named, as initially and after std::nullopt, every address is taken to be host
/// memory, and the driver is not asked. Collectives throw usage_error for memory of two devices,
/// for managed memory, whose use is not ordered by any stream, and on virtual machines.
///
/// Throws usage_error if the job's transport does not support device memory.
void set_collective_stream(const context& ctx, std::optional<void*> stream);
/// Returns the stream, or nothing if none is named.
std::optional<void*> collective_stream(const context& ctx) noexcept;

}  // namespace onehop
