#pragma once
/// This file says what the kernels of a hop compute and move, so that a virtual machine can time
/// them.

#include <onehop/context.hpp>
#include "dirac/hop_settings.hpp"
#include "dirac/kernel_table.hpp"
#include "dirac/site_diagonal.hpp"

namespace onehop {

/// Returns the cost of a hop to this many sites: for each site, all links and neighbours are read
/// and a spinor is written.
kernel_cost hop_cost(const hop_settings& how, field_precision kind, double sites, int rhs);
/// Adds the cost of factors that are not plain numbers, which the same kernel applies.
void add_factors(kernel_cost& cost, const hop_job& job, field_precision kind, double sites);
/// Returns the cost of packing the faces of this many sites.
kernel_cost pack_cost(const hop_settings& how, field_precision kind, double sites, int rhs);

/// Returns the stated count of flops of a hop per site and right-hand side, for the terms of the
/// host's or of a device's hopping. It consists of hop_flops, 1 per real for scaling the sum, 2 for
/// adding a scaled field, 2 for each of `sums`, and flops_per_site for the rest of D.
template <class Terms>
double flops_of(const Terms& what, dslash kind, int sums) {
  double per_real = 1.0 + 2.0 * sums;
  double of_factors = flops_per_site(what.result_factor);
  if (what.addend != nullptr) {
    per_real += what.addend_factor.is_number() ? 2.0 : 1.0;
    of_factors += flops_per_site(what.addend_factor);
  }
  return hop_flops(kind) + of_factors + per_real * 2 * components(kind);
}

}  // namespace onehop
