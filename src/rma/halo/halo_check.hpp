#pragma once
/// Before anything is allocated, a halo exchange is checked to be the same on all ranks.

#include <onehop/halo_exchange.hpp>
#include <string>
#include <vector>

namespace onehop {

/// Returns a line like "24x16x32x1 sites on a grid of 1x1x2x1 ranks, periodic in 0 1 2".
std::string describe_lattice(const cartesian& ranks);

/// Throws the same usage_error on all ranks if one of them describes another exchange than rank 0.
/// Collective. In virtual time it does nothing, because the ranks of a virtual machine run one
/// program, and their time is not meant for checks.
void require_alike(const std::vector<halo_memory*>& fields, const halo_options& how);

}  // namespace onehop
