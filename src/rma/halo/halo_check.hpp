#pragma once
/// A halo exchange is checked to be the same on all ranks before anything is allocated.

#include <onehop/halo_exchange.hpp>
#include <string>
#include <vector>

namespace onehop {

/// Returns a line as "24x16x32x1 sites on a grid of 1x1x2x1 ranks, periodic in 0 1 2".
std::string describe_lattice(const cartesian& ranks);

/// Throws usage_error, the same one on all ranks, where one of them describes another exchange than
/// rank 0 does. Collective; in virtual time it does nothing, since the ranks of a machine run one
/// program and their time is not for checks.
void require_alike(const std::vector<halo_memory*>& fields, const halo_options& how);

}  // namespace onehop
