#pragma once
/// This file chooses the device that a rank computes on.

#include "device/backend.hpp"

#include <onehop/context.hpp>
#include <onehop/solver_options.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace onehop {

/// Returns the names of the devices that each rank sees, unique within the job; `buses` are the PCI
/// addresses of the devices that this rank sees. Collective.
std::vector<std::vector<std::string>> devices_seen(const context& ctx,
                                                   std::span<const std::string> buses);

/// Returns the index of a rank's device among those it sees. Devices are assigned in rank order:
/// each rank takes the first of the least used devices that it sees. Throws usage_error if two
/// ranks would get one device, unless they may share.
int device_of_rank(std::span<const std::vector<std::string>> seen, int rank, bool may_share);

/// Opens the device, with the block shapes of the tuning file; collective. Returns null for the
/// host. Throws usage_error, in one line, if there is no such device.
std::unique_ptr<device::backend> open_device(const context& ctx, const solve_options& options);
/// Opens it with the standard block shapes, because tuning itself reads no file, which may not
/// exist yet.
std::unique_ptr<device::backend> open_untuned_device(const context& ctx,
                                                     const solve_options& options);

}  // namespace onehop
