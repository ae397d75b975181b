#pragma once
/// The host back end runs the device kernels in plain loops, to test without a GPU what runs on
/// one.

#include "device/backend.hpp"

#include <memory>

namespace onehop::device {

/// Makes a device whose memory is the host's and whose streams do everything at once.
std::unique_ptr<backend> make_host_backend();

}  // namespace onehop::device
