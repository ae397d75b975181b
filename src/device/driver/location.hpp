#pragma once
#include <optional>

#include "device/driver/driver.hpp"

namespace onehop::device {

/// A location says to which device and context memory belongs.
struct location {
  driver::context owner;
  int device;  ///< index of the device, as the driver counts
};

/// Returns no value for host memory, pinned or not, and for managed memory, which belongs to all.
/// Throws resource_error if the driver knows the memory but does not say to whom it belongs.
std::optional<location> location_of(const void* memory);

/// Returns whether this is managed memory.
bool is_managed(const void* memory);

}  // namespace onehop::device
