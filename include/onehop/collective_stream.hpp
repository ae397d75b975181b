#pragma once
/// Collectives accept memory of a CUDA device once the stream that uses it has been named.

#include <onehop/context.hpp>

#include <optional>

namespace onehop {

/// Names the stream of a device that uses the memory which collectives of this rank are given, in
/// the job and in all of its groups: a CUstream or cudaStream_t, or null for its default stream.
/// From then on the driver is asked whose memory each address is: the host's or a device's, which
/// may differ from rank to rank and from argument to argument. Put chains, and so halos, name
/// streams of their own.
///
/// Memory of a device is read and changed after what the stream holds when the collective is called
/// or started. When the call returns, or the collective has been waited for, what it wrote is there
/// for any stream. Results have the bits that they have in memory of the host. The device copies
/// what is read to pinned memory, whole, the host does the collective, and the device copies back
/// what is written; only long persistent collectives go from device to device. Receivers of
/// sparse_exchange get memory of the host.
///
/// Without a stream, as at the beginning and after std::nullopt, every address is taken for one of
/// the host, and the driver is not asked. Collectives throw usage_error for memory of two devices,
/// for managed memory, whose use no stream orders, and on virtual machines.
///
/// Throws usage_error where the job's transport serves no memory of devices at all.
void set_collective_stream(const context& ctx, std::optional<void*> stream);
/// Returns the stream, or nothing where none is named.
std::optional<void*> collective_stream(const context& ctx) noexcept;

}  // namespace onehop
