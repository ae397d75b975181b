#include <onehop/improved_links.hpp>

#include <onehop/error.hpp>
#include <onehop/halo_exchange.hpp>

#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "gauge/make_links.hpp"
#include "gauge/staple.hpp"

namespace onehop {
namespace {

/// A link_row holds the links of one direction.
using link_row = halo_field<colour_matrix>;

/// Returns the directions other than mu in ascending order.
std::size_t other(std::size_t mu, std::size_t k) noexcept { return k < mu ? k : k + 1; }

/// Paths of every length are built from the inside out, as staples in one direction around paths
/// that are already bent. No step therefore looks further than the next site. The outermost staple
/// is linear in what it encloses, so it is taken once, of the weighted sum. Lepage's paths stay on
/// one side.
class fat_row {
 public:
  fat_row(const gauge_field& thin, std::size_t mu, const path_coefficients& c,
          halo_exchange& ghosts)
      : geometry_(thin.geometry()), u_(thin), mu_(mu), c_(c) {
    const link_array middle = &u_(mu_, 0);
    for (std::size_t k = 0; k < 3; ++k) {
      above_.push_back(make_row(ghosts, [&](std::ptrdiff_t x) { return above(k, middle, x); }));
      below_.push_back(make_row(ghosts, [&](std::ptrdiff_t x) { return below(k, middle, x); }));
      once_.push_back(sum_of(above_[k], below_[k]));
    }
    for (std::size_t k = 0; k < 3; ++k)
      twice_.push_back(make_row(ghosts, [&](std::ptrdiff_t x) {
        const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
        return su3::add(pair(a, links_of(once_[b]), x), 1.0, pair(b, links_of(once_[a]), x));
      }));
  }

  void write(gauge_field& fat) const {
    const std::span<colour_matrix> to =
        fat.data().subspan(mu_ * u_.layout().volume(), u_.layout().volume());
    for (std::size_t k = 0; k < to.size(); ++k)
      to[k] = su3::scaled(c_.one_link, u_(mu_, static_cast<std::ptrdiff_t>(k)));
    for (std::size_t k = 0; k < 3; ++k) {
      const link_row over = enclosed(k, above_[k]), under = enclosed(k, below_[k]);
      for_each_site(geometry_, [&](const coordinate& site) {
        const std::size_t at = u_.layout().index(site);
        const auto x = static_cast<std::ptrdiff_t>(at);
        to[at] = su3::add(to[at], 1.0, above(k, links_of(over), x));
        to[at] = su3::add(to[at], 1.0, below(k, links_of(under), x));
      });
    }
    fat.exchange_ghosts(static_cast<int>(mu_));
  }

 private:
  template <class Make>
  link_row make_row(halo_exchange& ghosts, const Make& make) const {
    link_row made(u_.layout());
    for_each_site(geometry_, [&](const coordinate& site) {
      const std::size_t x = u_.layout().index(site);
      made.data()[x] = make(static_cast<std::ptrdiff_t>(x));
    });
    ghosts.exchange(made);
    return made;
  }
  static link_array links_of(const link_row& row) noexcept { return row.data().data(); }

  colour_matrix above(std::size_t k, link_array middle, std::ptrdiff_t x) const noexcept {
    const std::size_t nu = other(mu_, k);
    return staple_above(&u_(nu, 0), middle, u_.step(mu_), u_.step(nu), x);
  }
  colour_matrix below(std::size_t k, link_array middle, std::ptrdiff_t x) const noexcept {
    const std::size_t nu = other(mu_, k);
    return staple_below(&u_(nu, 0), middle, u_.step(mu_), u_.step(nu), x);
  }
  colour_matrix pair(std::size_t k, link_array middle, std::ptrdiff_t x) const noexcept {
    return su3::add(above(k, middle, x), 1.0, below(k, middle, x));
  }
  /// Returns a + b, ghosts included.
  link_row sum_of(const link_row& a, const link_row& b) const {
    link_row sum(u_.layout());
    for (std::size_t x = 0; x < sum.data().size(); ++x)
      sum.data()[x] = su3::add(a.data()[x], 1.0, b.data()[x]);
    return sum;
  }
  /// Returns what the staples of direction k enclose, ghosts included; `side` is already bent in k.
  link_row enclosed(std::size_t k, const link_row& side) const {
    const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
    link_row sum(u_.layout());
    for (std::size_t x = 0; x < sum.data().size(); ++x) {
      colour_matrix& here = sum.data()[x];
      here = su3::scaled(c_.three_staple, u_(mu_, static_cast<std::ptrdiff_t>(x)));
      here = su3::add(here, c_.lepage, side.data()[x]);
      here = su3::add(here, c_.five_staple, once_[a].data()[x]);
      here = su3::add(here, c_.five_staple, once_[b].data()[x]);
      here = su3::add(here, c_.seven_staple, twice_[k].data()[x]);
    }
    return sum;
  }

  const geometry& geometry_;
  neighbour_links u_;
  std::size_t mu_;
  path_coefficients c_;
  /// These paths are bent in direction k forward, backward, or in both; or in the two others,
  /// either one first.
  std::vector<link_row> above_, below_, once_, twice_;
};

gauge_field fat_links(const gauge_field& thin, const path_coefficients& c) {
  gauge_field fat(thin.geometry());
  link_row first(links_layout(thin.geometry()));
  halo_exchange ghosts(first, {.corners = true});
  for (std::size_t mu = 0; mu < 4; ++mu) fat_row(thin, mu, c, ghosts).write(fat);
  return fat;
}

gauge_field naik_links(const gauge_field& thin, double coefficient) {
  const neighbour_links u(thin);
  gauge_field pairs(thin.geometry()), naik(thin.geometry());
  const auto make = [](gauge_field& to, const auto& link) {
    make_links(to, 4, "Naik links", [&](std::size_t mu, std::ptrdiff_t x) {
      return std::optional<colour_matrix>(link(mu, x));
    });
  };
  make(pairs, [&](std::size_t mu, std::ptrdiff_t x) {
    return su3::multiply(u(mu, x), u(mu, x + u.step(mu)));
  });
  const neighbour_links two(pairs);
  make(naik, [&](std::size_t mu, std::ptrdiff_t x) {
    return su3::scaled(coefficient, su3::multiply(u(mu, x), two(mu, x + u.step(mu))));
  });
  return naik;
}

}  // namespace

path_coefficients asqtad_coefficients(double u0) {
  if (!(u0 > 0) || !std::isfinite(u0))
    throw usage_error(text("tadpole factor u0 ", u0, "; use a number above 0, 1 for none"));
  const double u2 = u0 * u0, u4 = u2 * u2, u6 = u4 * u2;
  return {5.0 / 8, 1.0 / 16 / u2, 1.0 / 64 / u4, 1.0 / 384 / u6, -1.0 / 16 / u4, -1.0 / 24 / u2};
}

path_coefficients fat7_coefficients() noexcept {
  return {1.0 / 8, 1.0 / 16, 1.0 / 64, 1.0 / 384, 0, 0};
}

path_coefficients hisq_coefficients(double naik_epsilon) {
  if (!std::isfinite(naik_epsilon))
    throw usage_error(text("naik epsilon ", naik_epsilon, "; use a finite number, 0 for none"));
  return {1 + naik_epsilon / 8, 1.0 / 16, 1.0 / 64, 1.0 / 384, -1.0 / 8, -(1 + naik_epsilon) / 24};
}

double tree_level_naik_epsilon(double mass) {
  if (!(mass >= 0 && mass <= 1))
    throw usage_error(text("mass ", mass,
                           " is beyond the series of the naik epsilon; use one from ",
                           "0 to 1, or give the epsilon itself"));
  const double m2 = mass * mass;
  return m2 * (-27.0 / 40 + m2 * (327.0 / 1120 + m2 * (-15607.0 / 268800 - m2 * 73697 / 3942400)));
}

improved_links make_improved_links(const gauge_field& thin, const path_coefficients& c) {
  return {fat_links(thin, c), naik_links(thin, c.naik)};
}

improved_links make_asqtad_links(const gauge_field& thin, double u0) {
  return make_improved_links(thin, asqtad_coefficients(u0));
}

improved_links make_hisq_links(const gauge_field& thin, double naik_epsilon) {
  const path_coefficients of_unitary = hisq_coefficients(naik_epsilon);
  gauge_field links = fat_links(thin, fat7_coefficients());
  const neighbour_links fat(links);
  make_links(links, 4, "HISQ",
             [&](std::size_t mu, std::ptrdiff_t x) { return su3::nearest_u3(fat(mu, x)); });
  return make_improved_links(links, of_unitary);
}

}  // namespace onehop
