#pragma once
/// The rows of a source in a device's memory are gathered by its copy engine or by a kernel.

#include <onehop/put.hpp>
#include <string>

#include "device/driver/device_kernels.hpp"
#include "device/driver/queue.hpp"

namespace onehop {

struct row_packing {
  const device::device_kernels* kernels = nullptr;  ///< null for the copy engine
  std::string why;  ///< "32 rows of 96 bytes by a kernel: ..."; empty for one row
};

/// Looks for the CUDA module and loads its kernels into the context `owner`.
device::found_kernels kernels_in(device::driver::context owner);

/// Chooses how the rows of a source are packed, by ONEHOP_DEVICE_PACK if it is set. The module with
/// the kernels is looked for only if a kernel is wanted, and its kernels are loaded into `owner`.
/// If they cannot be loaded, the copy engine packs.
row_packing choose_packing(const local_view& source, device::driver::context owner);

/// Returns the source in the form from which a device's queue copies.
inline device::device_view view_of(const local_view& source, const row_packing& packing) {
  return {source.data, source.block_bytes, source.stride_bytes, packing.kernels};
}

}  // namespace onehop
