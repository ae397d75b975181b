#pragma once
/// These channels carry chains from and to memory of CUDA devices over any transport: by addresses
/// that the transport takes, by what a device writes into another's memory, on streams alone, or
/// staged in pinned memory of the host.

#include <memory>

#include "rma/device_channels.hpp"

namespace onehop {

/// Makes the channels of one rank. They use the CUDA driver that the process has loaded; without
/// one no memory is a device's.
std::shared_ptr<device_channels> make_device_channels();

}  // namespace onehop
