#pragma once
/// Reports what the CUDA driver says of this machine.

#include "device/cuda_module.hpp"

namespace onehop::cuda {

/// Inspects the devices. Never throws for a machine without driver or device: the report says so.
device::cuda_report inspect();

}  // namespace onehop::cuda
