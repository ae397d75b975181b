#pragma once
/// The cost says what kernels of a hop compute and move, for the time that a virtual machine takes
/// for them.

#include <onehop/context.hpp>
#include "dirac/hop_settings.hpp"
#include "dirac/kernel_table.hpp"
#include "dirac/site_diagonal.hpp"

namespace onehop {

/// Returns the cost of a hop to this many sites: for each site all links and neighbours are read
/// and a spinor is written.
kernel_cost hop_cost(const hop_settings& how, field_precision kind, double sites, int rhs);
/// Adds the cost of factors that are not numbers, by which the same kernel multiplies.
void add_factors(kernel_cost& cost, const hop_job& job, field_precision kind, double sites);
/// Returns the cost of packing the faces of this many sites.
kernel_cost pack_cost(const hop_settings& how, field_precision kind, double sites, int rhs);

}  // namespace onehop
