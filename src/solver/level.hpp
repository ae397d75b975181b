#pragma once
/// A solver_level is what a solve in one precision needs.

#include "dirac/even_odd_operator.hpp"
#include "solver/field_algebra.hpp"
#include "solver/krylov.hpp"
#include "tuning/tuning.hpp"

#include <onehop/solver_options.hpp>

namespace onehop {

struct solver_level {
  lane_layout layout;
  even_odd_operator op;
  field_algebra algebra;

  /// The constructor is collective. `links` are the operator's links, in `recon` reals; fields have
  /// at most options.rhs right-hand sides; `team` must outlive the level.
  solver_level(const hop_links& links, const solve_options& options, field_precision kind,
               int recon, const instruction_set& set, thread_team& team)
      : layout(widest_layout(links.geometry(), set, kind, links.reach())),
        op(links, options, recon, options.rhs, *set.kernels(kind, layout.lanes()), layout, team),
        algebra(links.geometry().context(), op.kernels(), layout, op.components(), options.rhs,
                team) {
    const dslash hop = hop_of(kind_of(options.dirac));
    op.choose(tuning::read().way_of(hop_name(hop, kind, recon, links.geometry(), team.threads()),
                                    options.rhs));
  }

  krylov_results run(solver_kind solver, lane_field& x, lane_field& r, const krylov_limits& limits);
  /// Sets r = b - S x and returns |r|^2. Collective.
  rhs_values residual(lane_field& r, const lane_field& b, const lane_field& x) {
    op.schur(r, x);
    algebra.xpay(r, -1.0, b);
    return algebra.norms(r);
  }
  double flops() const noexcept { return op.flops() + algebra.flops(); }
};

}  // namespace onehop
