#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/gauge_field.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <onehop/random.hpp>
#include "base/named.hpp"
#include "base/text.hpp"
#include "gauge/neighbour_links.hpp"
#include "gauge/su2.hpp"
#include "gauge/su3.hpp"

namespace onehop {
namespace {

/// A sweep has one random stream per direction, which limits the number of sweeps.
constexpr std::uint64_t most_sweeps = std::uint64_t{1} << 54;

void check(const geometry& geometry, const heatbath_options& options, std::uint64_t sweep) {
  for (const int extent : geometry.lattice())
    if (extent % 2 != 0)
      throw usage_error(text("heatbath on lattice ", to_string(geometry.lattice()), ": extent ",
                             extent,
                             " is odd, so even and odd sites do not alternate around it; "
                             "use even extents"));
  if (!std::isfinite(options.beta) || options.beta < 0)
    throw usage_error(text("heatbath at beta ", options.beta, "; beta must be a number from 0 up"));
  if (options.overrelaxation < 0)
    throw usage_error(
        text("heatbath with ", options.overrelaxation, " overrelaxation sweeps; use 0 or more"));
  if (sweep >= most_sweeps)
    throw usage_error(text("heatbath sweep number ", sweep, "; use numbers below 2^54"));
}

/// A projection is the part of U S that a subgroup sees: `strength` times an element of SU(2).
struct projection {
  su2::quaternion direction{1, 0, 0, 0};
  double strength = 0;
};

projection subgroup_part(const colour_matrix& w, su2::subgroup s) noexcept {
  const su2::quaternion v = su2::project(w, s);
  const double strength = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
  // Smaller values are rounding errors; any direction is as good then.
  if (!(strength > 1e-300)) return {};
  return {{v[0] / strength, v[1] / strength, v[2] / strength, v[3] / strength}, strength};
}

/// Applies a heatbath in each of three SU(2) subgroups (Cabibbo and Marinari, Phys. Lett. B 119
/// (1982) 387). The weight of U -> a U is exp((2 beta/3) strength (a v)_0), so a v is drawn and v
/// divided out.
void heatbath_link(colour_matrix& link, const colour_matrix& staple, double beta,
                   site_random numbers) noexcept {
  colour_matrix w = su3::multiply(link, staple);
  for (const su2::subgroup s : su2::subgroups) {
    const projection v = subgroup_part(w, s);
    const auto g = su2::draw(2.0 / 3.0 * beta * v.strength, numbers);
    if (!g) continue;
    const su2::quaternion a = su2::multiply(*g, su2::adjoint(v.direction));
    su2::multiply_rows(a, s, link);
    su2::multiply_rows(a, s, w);
  }
}

/// In each subgroup, moves the link as far beyond the minimum of the action as it was before it
/// (Creutz, Phys. Rev. D 36 (1987) 515): a = v^+ v^+ turns (v)_0 into (v^+)_0, which is the same.
void overrelax_link(colour_matrix& link, const colour_matrix& staple) noexcept {
  colour_matrix w = su3::multiply(link, staple);
  for (const su2::subgroup s : su2::subgroups) {
    const su2::quaternion back = su2::adjoint(subgroup_part(w, s).direction);
    const su2::quaternion a = su2::multiply(back, back);
    su2::multiply_rows(a, s, link);
    su2::multiply_rows(a, s, w);
  }
}

/// Updates all links, one direction after another, first on even and then on odd sites. The staples
/// of links updated together contain none of these links, so their order does not matter.
template <class Update>
void update_links(gauge_field& links, const Update& update) {
  const geometry& geometry = links.geometry();
  const neighbour_links u(links);
  const std::span<colour_matrix> data = links.data();
  for (std::size_t mu = 0; mu < 4; ++mu)
    for (const int parity : {0, 1}) {
      for_each_site(geometry, [&](const coordinate& site) {
        if (geometry.parity(site) != parity) return;
        const std::size_t x = u.layout().index(site);
        update(data[mu * u.layout().volume() + x], u.staple(mu, static_cast<std::ptrdiff_t>(x)), mu,
               site);
      });
      links.exchange_ghosts(static_cast<int>(mu));
    }
}

}  // namespace

void heatbath_sweep(gauge_field& links, const heatbath_options& options, std::uint64_t sweep) {
  const geometry& geometry = links.geometry();
  agree(geometry.context(), "heatbath with",
        std::array{named("beta", options.beta), named("seed", options.seed), named("sweep", sweep),
                   named("overrelaxation", options.overrelaxation)});
  check(geometry, options, sweep);
  update_links(links, [&](colour_matrix& link, const colour_matrix& staple, std::size_t mu,
                          const coordinate& site) {
    heatbath_link(link, staple, options.beta,
                  site_random(options.seed, random_use::heatbath, 4 * sweep + mu,
                              geometry.global_index(geometry.global_site(site))));
  });
  for (int k = 0; k < options.overrelaxation; ++k)
    update_links(links, [](colour_matrix& link, const colour_matrix& staple, std::size_t,
                           const coordinate&) { overrelax_link(link, staple); });
  // Ghosts are copies of links, so applying the same operation to them keeps them equal without an
  // exchange.
  for (colour_matrix& link : links.data()) su3::reunitarise(link);
}

}  // namespace onehop
