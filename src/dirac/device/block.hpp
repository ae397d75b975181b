#pragma once
/// A site_map is a rank's block of the lattice as device kernels see it.

#include "dirac/device/site_map.hpp"

#include <onehop/dirac_operator.hpp>
#include <onehop/geometry.hpp>

namespace onehop::device {

/// Makes the map. Throws usage_error for a block whose x extent, or y extent where x is
/// distributed, is odd.
site_map make_site_map(const geometry& geometry, dslash kind, bool antiperiodic);

}  // namespace onehop::device
