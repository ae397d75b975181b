#pragma once
/// A site_map describes a rank's block of the lattice to device kernels.

#include "dirac/device/site_map.hpp"

#include <onehop/dirac_operator.hpp>
#include <onehop/geometry.hpp>

namespace onehop::device {

/// Makes the map. Throws usage_error for a block with an odd x extent, or an odd y extent if x is
/// distributed.
site_map make_site_map(const geometry& geometry, dslash kind, bool antiperiodic);

}  // namespace onehop::device
