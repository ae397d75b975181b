#pragma once
#include <optional>

#include "gpu/driver.hpp"

namespace onehop::gpu {

/// The place of memory of a device.
struct place {
  driver::context owner;
  int device;  ///< as the driver counts them
};

/// No value for memory of the host, pinned or not, and for managed memory, which is everybody's.
/// Throws resource_error where the driver knows the memory and does not say whose it is.
std::optional<place> place_of(const void* memory);

}  // namespace onehop::gpu
