#pragma once
#include <optional>

#include "gpu/driver.hpp"

namespace onehop::gpu {

/// Where memory of a device lies.
struct place {
  driver::context owner;
  int device;  ///< as the driver counts them
};

/// No value for memory of the host, pinned or not, and for managed memory, which is everybody's.
/// Throws resource_error where the driver knows the memory and does not say whose it is.
std::optional<place> place_of(const void* memory);

}  // namespace onehop::gpu
