#include "dirac/hop_cost.hpp"

namespace onehop {

kernel_cost hop_cost(const hop_settings& how, field_precision kind, double sites, int rhs) {
  const double hops = is_improved(how.kind) ? 16 : 8;
  const double reals = hops * how.recon + (hops + 1) * rhs * 2 * components(how.kind);
  return {hop_flops(how.kind) * rhs * sites, reals * stored_bytes(kind) * sites, 0};
}

void add_factors(kernel_cost& cost, const hop_job& job, field_precision kind, double sites) {
  for (const site_factor* factor : {job.addend_factor, job.result_factor}) {
    if (factor == nullptr) continue;
    cost.flops += flops_per_site(*factor) * job.rhs * sites;
    cost.bytes += reals_per_site(*factor) * stored_bytes(kind) * sites;
  }
}

kernel_cost pack_cost(const hop_settings& how, field_precision kind, double sites, int rhs) {
  const double reals = rhs * (2 * components(how.kind) + face_reals(how.kind));
  return {12.0 * rhs * sites, reals * stored_bytes(kind) * sites, 0};
}

}  // namespace onehop
