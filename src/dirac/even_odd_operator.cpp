#include "dirac/even_odd_operator.hpp"

#include "base/text.hpp"

#include <onehop/error.hpp>

#include <cmath>

namespace onehop {
namespace {

double diagonal_of(const operator_options& options) {
  const double d = options.dslash == dslash::wilson ? 4.0 + options.mass : options.mass;
  if (d == 0.0 || !std::isfinite(d)) {
    throw usage_error(text("mass ", options.mass, " makes the diagonal of M ", d,
                           ", which even/odd preconditioning divides by; use another mass"));
  }
  return d;
}

}  // namespace

int components(dslash kind) noexcept { return kind == dslash::wilson ? 12 : 3; }

even_odd_operator::even_odd_operator(const gauge_field& links, const operator_options& options,
                                     int reals, const kernel_table& kernels,
                                     const lane_layout& layout, thread_team& team)
    : diagonal_(diagonal_of(options)),
      coefficient_(options.dslash == dslash::wilson ? -0.5 : 0.5),
      hop_(layout, links, {options.dslash, options.antiperiodic, options.overlap, reals}, kernels,
           team),
      even_(layout, 1 - solved, onehop::components(options.dslash), kernels.kind) {}

// H^+ = -H for staggered fermions, whose kernels therefore know no dagger; in H H the sign is gone.
void even_odd_operator::schur(lane_field& out, const lane_field& in, bool dagger, site_sums sums) {
  hop(even_, in, {}, dagger);
  hop(out, even_, {-coefficient_ * coefficient_ / diagonal_, diagonal_, &in, sums}, dagger);
}

void even_odd_operator::prepare(lane_field& rhs, const lane_field& source_even,
                                const lane_field& source_odd) {
  hop(rhs, source_even, {-coefficient_ / diagonal_, 1.0, &source_odd});
}

void even_odd_operator::reconstruct(lane_field& x_even, const lane_field& x_odd,
                                    const lane_field& source_even) {
  hop(x_even, x_odd, {-coefficient_ / diagonal_, 1.0 / diagonal_, &source_even});
}

void even_odd_operator::full(lane_field& out, const lane_field& in, const lane_field& other,
                             bool dagger) {
  const double sign = dagger && hermitian() ? -1.0 : 1.0;
  hop(out, other, {sign * coefficient_, diagonal_, &in}, dagger);
}

void even_odd_operator::hop(lane_field& out, const lane_field& in, const hopping::terms& what,
                            bool dagger) {
  hop_.apply(out, in, what, dagger);
  const double per_site = hop_.kind() == dslash::wilson ? 1320.0 : 570.0;
  double per_real = what.addend == nullptr ? 1.0 : 3.0;
  if (what.sums.norms != nullptr) per_real += 2;
  if (what.sums.dots != nullptr) per_real += 2;
  const double sites = static_cast<double>(layout().geometry().volume()) / 2;
  flops_ += sites * (per_site + per_real * 2 * components());
}

}  // namespace onehop
