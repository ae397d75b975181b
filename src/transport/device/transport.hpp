#pragma once
/// These channels carry chains from and to memory of CUDA devices over any transport. They pass
/// addresses that the transport accepts, let a device write into another's memory, work on streams
/// alone, or stage through pinned memory of the host.

#include <memory>

#include "rma/device_channels.hpp"

namespace onehop {

/// Makes the channels of one rank. They use the CUDA driver that the process has loaded. Without a
/// driver, no memory counts as a device's.
std::shared_ptr<device_channels> make_device_channels();

}  // namespace onehop
