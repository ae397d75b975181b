#pragma once
#include <optional>

#include "device/driver/driver.hpp"

namespace onehop::device {

/// Whose memory of a device it is.
struct location {
  driver::context owner;
  int device;  ///< index of the device, as the driver counts them
};

/// No value for memory of the host, pinned or not, and for managed memory, which is everybody's.
/// Throws resource_error where the driver knows the memory and does not say whose it is.
std::optional<location> location_of(const void* memory);

/// Returns whether this is managed memory.
bool is_managed(const void* memory);

}  // namespace onehop::device
