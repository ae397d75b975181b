#include <onehop/gauge_fixing.hpp>

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/halo_exchange.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <onehop/exact_sum.hpp>
#include "base/named.hpp"
#include "base/text.hpp"
#include "gauge/neighbour_links.hpp"
#include "gauge/su2.hpp"
#include "gauge/su3_functions.hpp"

namespace onehop {
namespace {

constexpr int sweeps_between_checks = 10;

std::size_t dimensions(gauge_condition condition) noexcept {
  return condition == gauge_condition::landau ? 4 : 3;
}

void check(const geometry& geometry, const gauge_fixing_options& options) {
  for (std::size_t mu = 0; mu < dimensions(options.condition); ++mu)
    if (geometry.lattice()[mu] % 2 != 0)
      throw usage_error(text("gauge fixing on lattice ", to_string(geometry.lattice()), ": extent ",
                             geometry.lattice()[mu],
                             " is odd, so even and odd sites do not alternate around it; "
                             "use even extents"));
  if (!(options.overrelaxation >= 1 && options.overrelaxation < 2))
    throw usage_error(text("gauge fixing with overrelaxation ", options.overrelaxation,
                           "; use a number from 1 to below 2"));
  if (!(options.tolerance > 0))
    throw usage_error(
        text("gauge fixing to a theta of ", options.tolerance, "; use a number above 0"));
  if (options.max_sweeps < 1)
    throw usage_error(text("gauge fixing in ", options.max_sweeps, " sweeps; use 1 or more"));
}

/// Returns v^+ / |v| to the power omega: 1 rotated by omega times the angle that makes (a v)_0
/// largest.
su2::quaternion overrelaxed(const su2::quaternion& v, double omega) noexcept {
  const double along = std::sqrt(v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
  // Smaller values are rounding errors, as at a site that is at its maximum.
  if (!(along > 1e-300)) return {1, 0, 0, 0};
  const double angle = omega * std::atan2(along, v[0]);
  const double scale = -std::sin(angle) / along;
  return {std::cos(angle), scale * v[1], scale * v[2], scale * v[3]};
}

/// Returns the memory of a field without its ghosts in t, which lie outermost, as a contiguous
/// piece.
halo_memory without_ghosts_in_time(halo_field<colour_matrix>& field) {
  const halo_layout layout(field.ranks(), {.sides = {{1, 1}, {1, 1}, {1, 1}, {0, 0}}});
  const auto first = static_cast<std::size_t>(field.layout().stride(3));
  return {layout, sizeof(colour_matrix),
          std::as_writable_bytes(field.data().subspan(first, layout.volume()))};
}

/// This is the transformation G to be found, for links that stay unchanged.
class fixing {
 public:
  fixing(const gauge_field& links, gauge_condition condition)
      : links_(links),
        u_(links),
        dimensions_(dimensions(condition)),
        transformation_(u_.layout()),
        swept_(dimensions_ == 4 ? transformation_ : without_ghosts_in_time(transformation_)),
        ghosts_(swept_) {
    std::ranges::fill(transformation_.data(), su3::unit());
  }

  void sweep(double omega) {
    for (const int parity : {0, 1}) {
      for_each_site(geometry(), [&](const coordinate& site) {
        if (geometry().parity(site) != parity) return;
        colour_matrix& g = transformation_[site];
        colour_matrix w = around(site);
        for (const su2::subgroup s : su2::subgroups) {
          const su2::quaternion a = overrelaxed(su2::project(w, s), omega);
          su2::multiply_rows(a, s, g);
          su2::multiply_rows(a, s, w);
        }
      });
      ghosts_.exchange();
    }
  }

  void reunitarise() {
    for (colour_matrix& g : transformation_.data()) su3::reunitarise(g);
  }

  struct quality {
    double theta, functional;
  };
  quality measure() const {
    std::array<exact_sum, 2> sums;
    for_each_site(geometry(), [&](const coordinate& site) {
      const colour_matrix w = around(site);
      const colour_matrix difference = su3::scaled(2, su3::antihermitian_traceless(w));
      sums[0].add(su3::real_trace_adjoint(difference, difference));
      sums[1].add(w[0].real() + w[4].real() + w[8].real());
    });
    std::array<double, 2> total{};
    totals(geometry().context(), sums, total);
    const double entries = 3 * static_cast<double>(geometry().volume());
    // Every link is in the sums of both its ends, hence the factor 2.
    return {total[0] / entries, total[1] / (2 * entries * static_cast<double>(dimensions_))};
  }

  /// Sets links to G(x) U_mu(x) G^+(x+mu).
  void apply_to(gauge_field& links) {
    halo_exchange(transformation_).exchange();
    for (std::size_t mu = 0; mu < 4; ++mu)
      for_each_site(geometry(), [&](const coordinate& site) {
        const std::size_t x = u_.layout().index(site);
        colour_matrix& link = links.data()[mu * u_.layout().volume() + x];
        link = su3::multiply_adjoint(su3::multiply(transformation_[site], link),
                                     at(static_cast<std::ptrdiff_t>(x) + u_.step(mu)));
      });
    links.exchange_ghosts();
  }

 private:
  const onehop::geometry& geometry() const noexcept { return links_.geometry(); }
  const colour_matrix& at(std::ptrdiff_t x) const noexcept {
    return transformation_.data()[static_cast<std::size_t>(x)];
  }

  /// Returns sum_mu [U_mu(x) + U_mu^+(x-mu)] of the transformed links.
  colour_matrix around(const coordinate& site) const noexcept {
    const auto x = static_cast<std::ptrdiff_t>(u_.layout().index(site));
    colour_matrix sum{};
    for (std::size_t mu = 0; mu < dimensions_; ++mu) {
      const std::ptrdiff_t ahead = x + u_.step(mu);
      const std::ptrdiff_t behind = x - u_.step(mu);
      sum = su3::add(sum, 1, su3::multiply_adjoint(u_(mu, x), at(ahead)));
      // Here U^+ G^+ is computed as (G U)^+.
      sum = su3::add(sum, 1, su3::adjoint(su3::multiply(at(behind), u_(mu, behind))));
    }
    return su3::multiply(at(x), sum);
  }

  const gauge_field& links_;
  neighbour_links u_;
  std::size_t dimensions_;
  halo_field<colour_matrix> transformation_;
  halo_memory swept_;  ///< with the ghosts that a sweep reads
  halo_exchange ghosts_;
};

}  // namespace

gauge_fixing_report fix_gauge(gauge_field& links, const gauge_fixing_options& options) {
  const bool landau = options.condition == gauge_condition::landau;
  agree(links.geometry().context(), "gauge fixing with",
        std::array{named("condition", landau ? "landau" : "coulomb"),
                   named("tolerance", options.tolerance),
                   named("overrelaxation", options.overrelaxation),
                   named("max_sweeps", options.max_sweeps)});
  check(links.geometry(), options);
  check_links(links);
  fixing work(links, options.condition);
  fixing::quality now = work.measure();
  gauge_fixing_report report{};
  report.theta_before = now.theta;
  report.functional_before = now.functional;
  while (!(now.theta <= options.tolerance) && report.sweeps < options.max_sweeps) {
    const int sweeps = std::min(sweeps_between_checks, options.max_sweeps - report.sweeps);
    for (int k = 0; k < sweeps; ++k) work.sweep(options.overrelaxation);
    work.reunitarise();
    now = work.measure();
    report.sweeps += sweeps;
    if (options.progress) options.progress(report.sweeps, now.theta);
  }
  work.apply_to(links);
  report.theta = now.theta;
  report.functional = now.functional;
  report.converged = now.theta <= options.tolerance;
  return report;
}

}  // namespace onehop
