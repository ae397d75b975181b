#include <onehop/smearing.hpp>

#include <onehop/error.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "gauge/make_links.hpp"
#include "gauge/staple.hpp"
#include "gauge/su3_functions.hpp"

namespace onehop {
namespace {

/// Sums the staples over the planes of link mu; spatial smearing leaves out the planes with t.
colour_matrix staple_sum(const neighbour_links& u, std::size_t mu, std::ptrdiff_t x,
                         std::size_t dimensions) noexcept {
  colour_matrix sum{};
  for (std::size_t nu = 0; nu < dimensions; ++nu)
    if (nu != mu)
      sum = su3::add(sum, 1.0, staple_pair(&u(nu, 0), &u(mu, 0), u.step(mu), u.step(nu), x));
  return sum;
}

std::size_t count(smeared_directions directions) noexcept {
  return directions == smeared_directions::all ? 4 : 3;
}

void check_weight(std::string_view what, double alpha) {
  if (!(alpha >= 0 && alpha <= 1))
    throw usage_error(text(what, " with alpha ", alpha, "; use 0 to 1"));
}

/// Returns P[(1-alpha) u + alpha/n staples].
std::optional<colour_matrix> blend(const colour_matrix& u, double alpha, std::size_t n,
                                   const colour_matrix& staples) noexcept {
  return su3::nearest_su3(
      su3::add(su3::scaled(1 - alpha, u), alpha / static_cast<double>(n), staples));
}

/// Returns the directions other than mu in ascending order; `place` is the inverse.
std::size_t other(std::size_t mu, std::size_t k) noexcept { return k < mu ? k : k + 1; }
std::size_t place(std::size_t mu, std::size_t nu) noexcept { return nu < mu ? nu : nu - 1; }

/// These are links of direction mu decorated in (or, later, in all but) direction nu: [place(mu,
/// nu)].
using decorated_links = std::vector<gauge_field>;

link_array find(const decorated_links& links, std::size_t mu, std::size_t nu) {
  return direction(links[place(mu, nu)], mu);
}

decorated_links decorate(
    const gauge_field& links, double alpha,
    const std::function<colour_matrix(std::size_t mu, std::size_t nu, std::ptrdiff_t x)>& staples,
    std::size_t n) {
  decorated_links made;
  for (std::size_t k = 0; k < 3; ++k) {
    made.emplace_back(links.geometry());
    make_links(made.back(), 4, "HYP smearing", [&](std::size_t mu, std::ptrdiff_t x) {
      return blend(direction(links, mu)[x], alpha, n, staples(mu, other(mu, k), x));
    });
  }
  return made;
}

}  // namespace

void smear_ape(gauge_field& links, double alpha, smeared_directions directions) {
  check_weight("APE smearing", alpha);
  const neighbour_links u(links);
  const std::size_t dimensions = count(directions), n = 2 * (dimensions - 1);
  make_links(links, dimensions, "APE smearing", [&](std::size_t mu, std::ptrdiff_t x) {
    return blend(u(mu, x), alpha, n, staple_sum(u, mu, x, dimensions));
  });
}

void smear_stout(gauge_field& links, double rho, smeared_directions directions) {
  if (!(rho >= 0) || !std::isfinite(rho))
    throw usage_error(text("stout smearing with rho ", rho, "; use a number from 0 up"));
  const neighbour_links u(links);
  const std::size_t dimensions = count(directions);
  make_links(links, dimensions, "stout smearing", [&](std::size_t mu, std::ptrdiff_t x) {
    const colour_matrix loops = su3::multiply_adjoint(staple_sum(u, mu, x, dimensions), u(mu, x));
    const colour_matrix step = su3::scaled(rho, su3::antihermitian_traceless(loops));
    return std::optional(su3::multiply(su3::exponential(step), u(mu, x)));
  });
}

void smear_hyp(gauge_field& links, const std::array<double, 3>& alpha) {
  for (const double weight : alpha) check_weight("HYP smearing", weight);
  const neighbour_links u(links);
  const auto pair = [&](link_array side, link_array middle, std::size_t mu, std::size_t nu,
                        std::ptrdiff_t x) {
    return staple_pair(side, middle, u.step(mu), u.step(nu), x);
  };
  // The inner links are named after the one direction that decorates.
  const decorated_links inner = decorate(
      links, alpha[2],
      [&](std::size_t mu, std::size_t nu, std::ptrdiff_t x) {
        return pair(&u(nu, 0), &u(mu, 0), mu, nu, x);
      },
      2);
  // The middle links are named after the one direction that does not decorate: rho decorates with
  // links that the fourth direction has decorated.
  const decorated_links middle = decorate(
      links, alpha[1],
      [&](std::size_t mu, std::size_t nu, std::ptrdiff_t x) {
        colour_matrix sum{};
        for (std::size_t rho = 0; rho < 4; ++rho) {
          if (rho == mu || rho == nu) continue;
          const std::size_t fourth = 6 - mu - nu - rho;
          sum = su3::add(sum, 1.0,
                         pair(find(inner, rho, fourth), find(inner, mu, fourth), mu, rho, x));
        }
        return sum;
      },
      4);
  make_links(links, 4, "HYP smearing", [&](std::size_t mu, std::ptrdiff_t x) {
    colour_matrix sum{};
    for (std::size_t nu = 0; nu < 4; ++nu)
      if (nu != mu)
        sum = su3::add(sum, 1.0, pair(find(middle, nu, mu), find(middle, mu, nu), mu, nu, x));
    return blend(u(mu, x), alpha[0], 6, sum);
  });
}

void flow_step(gauge_field& links, double step) {
  if (!(step > 0) || !std::isfinite(step))
    throw usage_error(text("flow step ", step, "; use a number above 0"));
  const neighbour_links u(links);
  const std::size_t volume = links.geometry().local_volume();
  std::vector<colour_matrix> force(4 * volume, colour_matrix{});
  // A stage sets force := scale Z(V) + keep force, then V := exp(step force) V.
  struct stage {
    double scale, keep;
  };
  for (const auto& [scale, keep] :
       {stage{1.0 / 4, 0}, stage{8.0 / 9, -17.0 / 9}, stage{3.0 / 4, -1}}) {
    auto x_force = force.begin();
    make_links(links, 4, "flow", [&](std::size_t mu, std::ptrdiff_t x) {
      const colour_matrix loops = su3::multiply_adjoint(staple_sum(u, mu, x, 4), u(mu, x));
      colour_matrix& z = *x_force++;
      z = su3::add(su3::scaled(keep, z), scale, su3::antihermitian_traceless(loops));
      return std::optional(su3::multiply(su3::exponential(su3::scaled(step, z)), u(mu, x)));
    });
  }
}

double plaquette_energy(const gauge_field& links) { return 36 * (1 - plaquette(links).mean); }

}  // namespace onehop
