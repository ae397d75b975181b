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

/// Returns the stated count of flops of a hop per site and right-hand side, for the terms of the
/// host's hopping or of a device's: hop_flops; scaling the sum takes 1 per real, adding a scaled
/// field 2, each of `sums` 2; what D takes beyond that is flops_per_site.
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
