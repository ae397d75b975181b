#pragma once
/// The rows of a source in a device's memory are gathered by its copy engine or by a kernel.

#include <onehop/put.hpp>
#include <string>

#include "device/driver/queue.hpp"

namespace onehop {

struct row_packing {
  const device::device_kernels* kernels = nullptr;  ///< null for the copy engine
  std::string why;  ///< "32 rows of 96 bytes by a kernel: ..."; empty for one row
};

/// By ONEHOP_DEVICE_PACK. The module with the kernels is looked for only where one is wanted, and
/// its kernels are loaded into `owner`; where they cannot be, the copy engine remains.
row_packing choose_packing(const local_view& source, device::driver::context owner);

/// How the device is told of the source.
inline device::device_view view_of(const local_view& source, const row_packing& packing) {
  return {source.data, source.block_bytes, source.stride_bytes, packing.kernels};
}

}  // namespace onehop
