#include <array>
#include <onehop/gauge_field.hpp>

#include <onehop/exact_sum.hpp>
#include "gauge/neighbour_links.hpp"

namespace onehop {

plaquette_average plaquette(const gauge_field& links) {
  const geometry& geometry = links.geometry();
  const neighbour_links u(links);
  std::array<exact_sum, 2> sums;
  for_each_site(geometry, [&](const coordinate& site) {
    const auto x = static_cast<std::ptrdiff_t>(u.layout().index(site));
    const auto plane = [&](std::size_t mu, std::size_t nu) { return u.plaquette_trace(mu, nu, x); };
    sums[0].add(plane(0, 1) + plane(0, 2) + plane(1, 2));
    sums[1].add(plane(0, 3) + plane(1, 3) + plane(2, 3));
  });
  std::array<double, 2> total{};
  totals(geometry.context(), sums, total);
  const double normalisation = 9.0 * static_cast<double>(geometry.volume());
  const double spatial = total[0] / normalisation, temporal = total[1] / normalisation;
  return {0.5 * (spatial + temporal), spatial, temporal};
}

double link_trace(const gauge_field& links) {
  const geometry& geometry = links.geometry();
  exact_sum sum;
  for_each_site(geometry, [&](const coordinate& site) {
    for (int mu = 0; mu < 4; ++mu) {
      const colour_matrix& u = links.link(mu, site);
      sum.add(u[0].real() + u[4].real() + u[8].real());
    }
  });
  return sum.total(geometry.context()) / (12.0 * static_cast<double>(geometry.volume()));
}

}  // namespace onehop
