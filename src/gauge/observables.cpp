#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/gauge_field.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "gauge/neighbour_links.hpp"
#include "gauge/su3.hpp"
#include "lattice/site_sum.hpp"

namespace onehop {
namespace {

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

bool is_finite(const colour_matrix& u) noexcept {
  return std::all_of(u.begin(), u.end(), [](const std::complex<double>& entry) {
    return std::isfinite(entry.real()) && std::isfinite(entry.imag());
  });
}

/// 4 * global site + mu of this block's first link that is not finite.
std::uint64_t first_bad_link(const gauge_field& links) {
  const geometry& geometry = links.geometry();
  std::uint64_t first = none;
  for_each_site(geometry, [&](const coordinate& site) {
    const std::uint64_t global = geometry.global_index(geometry.global_site(site));
    for (int mu = 0; mu < 4; ++mu)
      if (!is_finite(links.link(mu, site)))
        first = std::min(first, 4 * global + static_cast<std::uint64_t>(mu));
  });
  return first;
}

[[noreturn]] void throw_bad_link(const coordinate& lattice, std::uint64_t bad) {
  const char direction = "xyzt"[bad % 4];
  std::uint64_t rest = bad / 4;
  coordinate site{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const auto extent = static_cast<std::uint64_t>(lattice[mu]);
    site[mu] = static_cast<int>(rest % extent);
    rest /= extent;
  }
  throw numeric_error(text("the link in direction ", direction, " at site (", site[0], ',', site[1],
                           ',', site[2], ',', site[3], ") of lattice ", to_string(lattice),
                           " is not a finite number; the configuration is damaged, fetch or "
                           "generate it again"));
}

}  // namespace

plaquette_average plaquette(const gauge_field& links) {
  const geometry& geometry = links.geometry();
  const neighbour_links u(links);
  std::array<site_sum, 2> sums;
  for_each_site(geometry, [&](const coordinate& site) {
    const auto x = static_cast<std::ptrdiff_t>(u.shape().index(site));
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
  site_sum sum;
  for_each_site(geometry, [&](const coordinate& site) {
    for (int mu = 0; mu < 4; ++mu) {
      const colour_matrix& u = links.link(mu, site);
      sum.add(u[0].real() + u[4].real() + u[8].real());
    }
  });
  return sum.total(geometry.context()) / (12.0 * static_cast<double>(geometry.volume()));
}

double check_links(const gauge_field& links) {
  const geometry& geometry = links.geometry();
  const auto firsts = allgather(geometry.context(), first_bad_link(links));
  const std::uint64_t bad = *std::min_element(firsts.begin(), firsts.end());
  if (bad != none) throw_bad_link(geometry.lattice(), bad);
  double largest = 0;
  for_each_site(geometry, [&](const coordinate& site) {
    for (int mu = 0; mu < 4; ++mu)
      largest = std::max(largest, su3::unitarity_deviation(links.link(mu, site)));
  });
  allreduce_max(geometry.context(), {&largest, 1});
  return largest;
}

}  // namespace onehop
