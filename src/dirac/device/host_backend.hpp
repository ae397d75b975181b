#pragma once
/// The device kernels on the host, in plain loops: to test without a GPU what runs on one.

#include "device/backend.hpp"

#include <memory>

namespace onehop::device {

/// A device whose memory is the host's and whose streams do everything at once.
std::unique_ptr<backend> make_host_backend();

}  // namespace onehop::device
