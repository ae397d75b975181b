#include "solver/requirements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include "base/named.hpp"
#include "base/text.hpp"
#include "dirac/kernel_table.hpp"
#include "dirac/link_field.hpp"
#include "solver/linear_system.hpp"
#include "solver/operator_words.hpp"
#include "solver/option_words.hpp"

namespace onehop {
namespace {

constexpr int most_threads = 1024;

void require_finite_parameters(dirac_operator dirac) {
  for (const operator_parameter& parameter : operator_parameters()) {
    const double* value = parameter.in(dirac);
    if (value == nullptr || std::isfinite(*value)) continue;
    throw usage_error(text(parameter.name, " ", *value, " is not a finite number"));
  }
}

void require_block(const solve_options& options) {
  if (options.solver != solver_kind::block_cg) return;
  if (options.precision == precision::half) {
    throw usage_error(
        "directions that solver block-cg keeps apart are one in 16 bits; use --solver cg, or "
        "--prec mixed, single or double");
  }
  if (is_staggered(kind_of(options.dirac)) && mass_of(options.dirac) < 0) {
    throw usage_error(
        text("block-cg needs an operator that is positive, not staggered quarks of mass ",
             mass_of(options.dirac), "; use --solver cg"));
  }
  if (options.rhs > most_mixed_rhs) {
    throw usage_error(text("solver block-cg takes ", most_mixed_rhs,
                           " right-hand sides at a time at most, not ", options.rhs,
                           "; give a smaller --rhs"));
  }
}

}  // namespace

void require_alike(const context& ctx, const solve_options& options) {
  std::string parameters;
  dirac_operator dirac = options.dirac;
  for (const operator_parameter& parameter : operator_parameters())
    if (const double* value = parameter.in(dirac))
      parameters += text(" ", named(parameter.name, *value));
  agree(ctx, "a solver with",
        std::array{
            text("operator ", word_of(kind_of(dirac)), parameters),
            named("boundary", word_of(options.boundary)), named("solver", word_of(options.solver)),
            named("prec", word_of(options.precision)), named("recon", options.recon),
            named("rhs", options.rhs), named("tol", options.tolerance),
            named("max_iter", options.max_iterations), named("overlap", word_of(options.overlap))});
}

solve_options checked(const solve_options& options) {
  require_finite_parameters(options.dirac);
  if (is_staggered(kind_of(options.dirac)) && options.solver == solver_kind::bicgstab) {
    throw usage_error(
        "solver bicgstab is for wilson and clover; the even/odd staggered operator is hermitian "
        "and positive, use --solver cg");
  }
  if (options.solver == solver_kind::pipelined_cg && options.precision == precision::half) {
    throw usage_error(
        "the recurrences of solver pipelined-cg drift too far in 16 bits; use --solver cg, or "
        "--prec mixed, single or double");
  }
  require_block(options);
  if (!(options.tolerance > 0)) {
    throw usage_error(text("tolerance ", options.tolerance, " is not positive"));
  }
  if (options.recon != 18 && options.recon != 12 && options.recon != 8) {
    throw usage_error(text("links of ", options.recon, " reals: choose 18, 12 or 8"));
  }
  if (is_improved(kind_of(options.dirac)) && options.recon != 18) {
    throw usage_error(text("links of ", options.recon,
                           " reals are for links in SU(3); fat links take --recon 18"));
  }
  if (options.threads < 1 || options.threads > most_threads) {
    throw usage_error(text(options.threads, " threads a rank; give 1 to ", most_threads));
  }
  if (options.rhs < 0) {
    throw usage_error(text("right-hand sides ", options.rhs, " at a time; give 1 or more"));
  }
  if (options.max_iterations < 1) {
    throw usage_error(text("iteration limit ", options.max_iterations, " is not positive"));
  }
  return options;
}

// Fewer reals can hold only links of SU(3). The coarse links may be as inaccurate as their
// precision; the solution's links must be as accurate as the tolerance demands.
const gauge_field& require_su3(const gauge_field& links, const solve_options& options) {
  // The operator itself refuses fewer reals for fat and Naik links.
  if (options.recon == 18 || is_improved(kind_of(options.dirac))) return links;
  std::array<double, 1> distance = {distance_from_su3(links)};
  allreduce_max(links.geometry().context(), distance);
  const double allowed =
      has_coarse(options.precision) ? 1e-3 : std::max(1e-13, 1e-2 * options.tolerance);
  if (distance[0] <= allowed) return links;
  throw usage_error(text(
      "links are up to ", distance[0], " away from SU(3), too far to be kept in ", options.recon,
      " reals for tolerance ", options.tolerance, "; use --recon 18, or --prec mixed"));
}

void require_time_slice(const geometry& geometry, int t) {
  const int extent = geometry.lattice()[3];
  if (t >= 0 && t < extent) return;
  throw usage_error(text("source t ", t, " is outside lattice ", to_string(geometry.lattice()),
                         "; use 0 to ", extent - 1));
}

// Iterated and true residual must agree, up to the rounding of b - M x itself.
void require_agreement(const solve_report& report, const solve_options& options) {
  const double rounding =
      fine_storage(options.precision) == field_precision::double_ ? 1e-13 : 1e-5;
  const double believed = std::max(report.residual_iterated, options.tolerance);
  if (report.residual_true <= 2 * believed + rounding) return;
  throw numeric_error(text("the solver reports residual ", report.residual_iterated, " after ",
                           report.iterations, " iterations, but |b - M x| / |b| is ",
                           report.residual_true,
                           " by the reference operator: the solution is wrong"));
}

// The solution must not overwrite the source, which is needed again to check the solution.
void require_apart(std::span<const std::complex<double>> source,
                   std::span<const std::complex<double>> solution) {
  const std::less<const std::complex<double>*> before;
  if (before(source.data(), solution.data() + solution.size()) &&
      before(solution.data(), source.data() + source.size())) {
    throw usage_error("source and solution share memory; give the solution a field of its own");
  }
}

void require_shifts(std::span<const double> shifts, const solve_options& options) {
  if (shifts.empty()) throw usage_error("no shift was given; give one or more");
  if (options.solver != solver_kind::cg) {
    throw usage_error("shifts are solved by multi-shift CG; use --solver cg");
  }
  if (options.device != device_choice::host) {
    throw usage_error("several shifts or masses at once are for the host; use --device host");
  }
  for (const double shift : shifts) {
    if (shift >= 0 && std::isfinite(shift)) continue;
    throw usage_error(text("shift ", shift,
                           " of M^+ M is not a finite number of 0 or more, for which alone the "
                           "system is sure to be positive; give --shifts of 0 or more"));
  }
}

void require_masses(std::span<const double> masses, const solve_options& options) {
  require_shifts(masses, options);
  if (!is_staggered(kind_of(options.dirac))) {
    throw usage_error(
        "several masses at once are for staggered fermions, whose M^+ M depends on the mass by a "
        "shift; solve one mass after the other");
  }
  for (const double mass : masses) {
    if (mass == 0) throw usage_error("mass 0 among the masses; give positive ones with --masses");
  }
}

}  // namespace onehop
