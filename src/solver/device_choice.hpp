#pragma once
/// Chooses which device a rank computes on.

#include "device/backend.hpp"

#include <onehop/context.hpp>
#include <onehop/solver_options.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace onehop {

/// Returns the names of the devices that each rank sees, which no other devices of the job have;
/// `buses` are the PCI addresses of those that this rank sees. Collective.
std::vector<std::vector<std::string>> devices_seen(const context& ctx,
                                                   std::span<const std::string> buses);

/// Returns the index of the device of a rank that sees one. Devices are assigned in order of rank:
/// each rank takes the first of the least used devices that it sees. Throws usage_error where that
/// gives two ranks one device, unless they may share.
int device_of_rank(std::span<const std::vector<std::string>> seen, int rank, bool may_share);

/// Opens the device, with the block shapes of the tuning file; collective. Returns null for the
/// host. Throws usage_error, in one line, where there is no such device.
std::unique_ptr<device::backend> open_device(const context& ctx, const solve_options& options);
/// Opens it with the standard block shapes: tuning itself reads no file, which may not be there
/// yet.
std::unique_ptr<device::backend> open_untuned_device(const context& ctx,
                                                     const solve_options& options);

}  // namespace onehop
