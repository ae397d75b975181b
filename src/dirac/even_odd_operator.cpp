#include "dirac/even_odd_operator.hpp"

#include "dirac/hop_cost.hpp"

#include <onehop/context.hpp>

namespace onehop {

even_odd_operator::even_odd_operator(const hop_links& links, const solve_options& options,
                                     int recon, int rhs, const kernel_table& kernels,
                                     const lane_layout& layout, thread_team& team)
    : coefficient_(is_staggered(kind_of(options.dirac)) ? 0.5 : -0.5),
      hop_(layout, links,
           {hop_of(kind_of(options.dirac)), options.boundary == boundary::antiperiodic,
            options.overlap, recon, rhs},
           kernels, team),
      diagonal_(links.thin(), options.dirac, layout, kernels.kind, team),
      even_(layout, 1 - solved, onehop::components(kind_of(options.dirac)), kernels.kind, rhs) {
  even_.set_zero(team);
}

// For staggered fermions H^+ = -H, so their kernels have no dagger; in H H the sign cancels.
void even_odd_operator::schur(lane_field& out, const lane_field& in, bool dagger, site_sums sums) {
  even_.reshape(in.rhs());
  hop(even_, in, {.result_factor = diagonal_.inverse(dagger)}, dagger);
  hop(out, even_,
      {.hop_scale = -coefficient_ * coefficient_,
       .addend = &in,
       .addend_factor = diagonal_.factor(solved, dagger),
       .sums = sums},
      dagger);
}

void even_odd_operator::prepare(lane_field& rhs, const lane_field& source_even,
                                const lane_field& source_odd) {
  const site_factor inverse = diagonal_.inverse(false);
  if (inverse.is_number()) {
    hop(rhs, source_even, {.hop_scale = -coefficient_ * inverse.scale, .addend = &source_odd});
    return;
  }
  even_.reshape(source_even.rhs());
  multiply(even_, source_even, inverse);
  hop(rhs, even_, {.hop_scale = -coefficient_, .addend = &source_odd});
}

void even_odd_operator::reconstruct(lane_field& x_even, const lane_field& x_odd,
                                    const lane_field& source_even) {
  hop(x_even, x_odd,
      {.hop_scale = -coefficient_,
       .addend = &source_even,
       .result_factor = diagonal_.inverse(false)});
}

void even_odd_operator::full(lane_field& out, const lane_field& in, const lane_field& other,
                             bool dagger) {
  const double sign = dagger && hermitian() ? -1.0 : 1.0;
  hop(out, other,
      {.hop_scale = sign * coefficient_,
       .addend = &in,
       .addend_factor = diagonal_.factor(out.parity(), dagger)},
      dagger);
}

void even_odd_operator::normal_half(lane_field& out, const lane_field& in, lane_field& between) {
  const double mass = diagonal_.factor(solved, false).scale;
  between.reshape(in.rhs());
  hop(between, in, {});
  hop(out, between,
      {.hop_scale = -coefficient_ * coefficient_,
       .addend = &in,
       .addend_factor = {.scale = mass * mass}});
}

void even_odd_operator::hop(lane_field& out, const lane_field& in, const hopping::terms& what,
                            bool dagger) {
  hop_.apply(out, in, what, dagger);
  const int sums = (what.sums.norms != nullptr ? 1 : 0) + (what.sums.dots != nullptr ? 1 : 0);
  flops_ += half_volume() * out.rhs() * flops_of(what, hop_.kind(), sums);
}

void even_odd_operator::multiply(lane_field& out, const lane_field& in, const site_factor& factor) {
  const context& ctx = layout().geometry().context();
  const auto begin = ctx.now();
  team().run([&](int thread) {
    const auto share = team().share(in.vectors(), thread);
    kernels().multiply_sites({.in = in.data(),
                              .out = out.data(),
                              .factor = factor,
                              .fixed = in.kind() == field_precision::half,
                              .rhs = in.rhs(),
                              .first = static_cast<std::int32_t>(share.begin),
                              .last = static_cast<std::int32_t>(share.end)});
  });
  const double sites = static_cast<double>(in.vectors()) * in.lanes();
  const double flops = flops_per_site(factor) * in.rhs();
  ctx.work({.flops = flops * sites,
            .bytes = static_cast<double>(in.bytes() + out.bytes()) +
                     reals_per_site(factor) * stored_bytes(in.kind()) * sites});
  multiply_time_ += ctx.now() - begin;
  flops_ += flops * half_volume();
}

}  // namespace onehop
