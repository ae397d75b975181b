#pragma once
/// Chooses which device a rank computes on.

#include "device/backend.hpp"

#include <onehop/context.hpp>
#include <onehop/solver_options.hpp>

#include <memory>
#include <span>
#include <string>

namespace onehop {

/// Returns the device of a rank; devices are dealt to the ranks of a machine in order of rank.
/// Throws usage_error where that gives two ranks one device, unless they may share.
int device_of_rank(std::span<const std::string> host_of_rank, int rank, int devices,
                   bool may_share);

/// Opens the device, with the block shapes of the tuning file; collective. Returns null for the
/// host. Throws usage_error, in one line, where there is no such device.
std::unique_ptr<device::backend> open_device(const context& ctx, const solve_options& options);
/// Opens it with the standard block shapes: tuning itself reads no file, which may not be there
/// yet.
std::unique_ptr<device::backend> open_untuned_device(const context& ctx,
                                                     const solve_options& options);

}  // namespace onehop
