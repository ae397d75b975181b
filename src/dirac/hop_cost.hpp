#pragma once
/// What kernels of a hop compute and move, for the time that a virtual machine takes for them.

#include <onehop/context.hpp>
#include "dirac/hop_settings.hpp"
#include "dirac/kernel_table.hpp"
#include "dirac/site_diagonal.hpp"

namespace onehop {

/// Of a hop to so many sites: as many links and neighbours are read, and a spinor is written, for
/// each.
kernel_cost hop_cost(const hop_settings& how, field_precision kind, double sites, int rhs);
/// The same kernel multiplies with factors that are no numbers.
void add_factors(kernel_cost& cost, const hop_job& job, field_precision kind, double sites);
/// Of packing the faces of so many sites.
kernel_cost pack_cost(const hop_settings& how, field_precision kind, double sites, int rhs);

}  // namespace onehop
