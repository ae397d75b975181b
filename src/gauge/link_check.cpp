#include "gauge/link_check.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/text.hpp"
#include "gauge/neighbour_links.hpp"
#include "gauge/su3.hpp"
#include "gauge/su3_functions.hpp"

namespace onehop {
namespace {

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

bool is_finite(const colour_matrix& u) noexcept {
  return std::all_of(u.begin(), u.end(), [](const std::complex<double>& entry) {
    return std::isfinite(entry.real()) && std::isfinite(entry.imag());
  });
}

struct bad_link {
  std::uint64_t number = none;  ///< 4 * global site + mu
  double deviation = 0;
};

/// Returns the first link of the whole lattice whose `deviation` exceeds `limit`, or no number.
template <class Deviation>
bad_link first_bad_link(const gauge_field& links, double limit, Deviation&& deviation) {
  const geometry& geometry = links.geometry();
  bad_link first;
  for_each_site(geometry, [&](const coordinate& site) {
    const std::uint64_t global = geometry.global_index(geometry.global_site(site));
    for (int mu = 0; mu < 4; ++mu) {
      const std::uint64_t number = 4 * global + static_cast<std::uint64_t>(mu);
      if (number > first.number) continue;
      const double found = deviation(links.link(mu, site));
      if (found > limit) first = {number, found};
    }
  });
  const auto firsts = allgather(geometry.context(), first);
  return *std::min_element(firsts.begin(), firsts.end(), [](const bad_link& a, const bad_link& b) {
    return a.number < b.number;
  });
}

std::string name_of(const coordinate& lattice, std::uint64_t number) {
  std::uint64_t rest = number / 4;
  coordinate site{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const auto extent = static_cast<std::uint64_t>(lattice[mu]);
    site[mu] = static_cast<int>(rest % extent);
    rest /= extent;
  }
  return link_name(lattice, site, static_cast<int>(number % 4));
}

[[noreturn]] void refuse_infinite(const std::string& name) {
  throw numeric_error(text(name,
                           " is not a finite number; the configuration is damaged, fetch or "
                           "generate it again"));
}

double special_unitary_deviation(const colour_matrix& u) noexcept {
  return std::max(su3::unitarity_deviation(u), std::abs(su3::determinant(u) - 1.0));
}

}  // namespace

std::string link_name(const coordinate& lattice, const coordinate& site, int mu) {
  return text("the link in direction ", "xyzt"[mu], " at site (", site[0], ',', site[1], ',',
              site[2], ',', site[3], ") of lattice ", to_string(lattice));
}

void check_finite_link(const colour_matrix& u, const coordinate& lattice, const coordinate& site,
                       int mu) {
  if (!is_finite(u)) refuse_infinite(link_name(lattice, site, mu));
}

double check_links(const gauge_field& links) {
  const auto bad =
      first_bad_link(links, 0.5, [](const colour_matrix& u) { return is_finite(u) ? 0.0 : 1.0; });
  if (bad.number != none) refuse_infinite(name_of(links.geometry().lattice(), bad.number));
  double largest = 0;
  for_each_site(links.geometry(), [&](const coordinate& site) {
    for (int mu = 0; mu < 4; ++mu)
      largest = std::max(largest, su3::unitarity_deviation(links.link(mu, site)));
  });
  allreduce_max(links.geometry().context(), {&largest, 1});
  return largest;
}

void check_special_unitary(const gauge_field& links, double limit) {
  const auto bad = first_bad_link(links, limit, special_unitary_deviation);
  if (bad.number == none) return;
  refuse_deviation(name_of(links.geometry().lattice(), bad.number), bad.deviation, limit);
}

void refuse_deviation(const std::string& name, double deviation, double limit) {
  throw numeric_error(
      text(name, " differs from SU(3) by ", deviation, ", more than ", limit,
           "; the file is damaged, or, where its links are meant to be so (smeared ones, boundary "
           "signs multiplied in), allow it: allow_non_unitary, --allow-non-unitary"));
}

std::string unitarity_warning(const std::string& path, double unitarity_deviation,
                              int precision_bits) {
  // The limit is far above the rounding of either precision and far below any damage.
  const double allowed = precision_bits == 32 ? 1e-5 : 1e-10;
  if (unitarity_deviation <= allowed) return {};
  return text(path, ": its links differ from SU(3) by up to ", unitarity_deviation,
              "; they are used as stored");
}

}  // namespace onehop
