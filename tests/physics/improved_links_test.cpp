/// Fat and Naik links are compared with the sums of their paths, and with what every sum of paths
/// must obey.

#include <onehop/error.hpp>
#include <onehop/improved_links.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gauge/su3_functions.hpp"
#include "physics/gauge_tools.hpp"
#include "reference/path_links.hpp"
#include "support/ranks.hpp"

using namespace onehop;
using namespace onehop::tests;

namespace {

constexpr double u0 = 0.87;

/// Sets links that are neither smooth nor wild, as after a few sweeps.
void set_warm(gauge_field& links) {
  set_hot(links, 7);
  for (std::uint64_t sweep = 0; sweep < 3; ++sweep)
    heatbath_sweep(links, {.beta = 6.0, .seed = 5, .overrelaxation = 1}, sweep);
}

void on_one_rank(const coordinate& lattice, const std::function<void(gauge_field&)>& body) {
  run_on_threads(1, [&](context ctx) {
    gauge_field links(geometry(ctx, lattice, {1, 1, 1, 1}));
    body(links);
  });
}

/// Returns the largest difference among this rank's links.
double difference(const gauge_field& a, const gauge_field& b) {
  const geometry& block = a.geometry();
  double largest = 0;
  for (std::size_t k = 0; k < block.local_volume(); ++k)
    for (int mu = 0; mu < 4; ++mu) {
      const coordinate x = block.local_site(k);
      const double here = su3::norm(su3::add(a.link(mu, x), -1.0, b.link(mu, x)));
      largest = std::isnan(here) ? HUGE_VAL : std::max(largest, here);
    }
  return largest;
}

/// Returns G(x) L_mu(x) G^+(x + distance mu), on one rank.
gauge_field rotated(const gauge_field& g, const gauge_field& links, int distance) {
  const geometry& block = links.geometry();
  gauge_field result(block);
  for (std::size_t k = 0; k < block.local_volume(); ++k)
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const coordinate x = block.local_site(k);
      coordinate end = x;
      end[mu] = (end[mu] + distance) % block.lattice()[mu];
      const int d = static_cast<int>(mu);
      result.link(d, x) =
          su3::multiply_adjoint(su3::multiply(g.link(0, x), links.link(d, x)), g.link(0, end));
    }
  return result;
}

double distance_from_multiple(const gauge_field& links, double factor) {
  gauge_field expected(links.geometry());
  for (colour_matrix& link : expected.data()) link = su3::scaled(factor, su3::unit());
  return difference(links, expected);
}

}  // namespace

BOOST_AUTO_TEST_CASE(links_are_the_sums_of_their_paths_on_every_grid) {
  const std::vector<std::pair<coordinate, coordinate>> divisions = {{{4, 2, 6, 4}, {1, 1, 1, 1}},
                                                                    {{2, 4, 2, 6}, {1, 2, 1, 2}},
                                                                    {{4, 2, 2, 4}, {2, 1, 1, 2}},
                                                                    {{2, 4, 2, 4}, {1, 4, 1, 1}}};
  for (const auto& [lattice, grid] : divisions)
    run_on_threads(
        static_cast<int>(volume(grid)), [&, lattice = lattice, grid = grid](context ctx) {
          gauge_field links(geometry(ctx, lattice, grid));
          set_warm(links);
          const auto asqtad = make_asqtad_links(links, u0);
          const auto expected = reference::asqtad_links(links, u0);
          test::expect(difference(asqtad.fat, expected.fat) < 1e-13, "asqtad fat");
          test::expect(difference(asqtad.naik, expected.naik) < 1e-14, "asqtad naik");
          for (const double epsilon : {0.0, -0.6}) {
            const auto hisq = make_hisq_links(links, epsilon);
            const auto hisq_reference = reference::hisq_links(links, epsilon);
            test::expect(difference(hisq.fat, hisq_reference.fat) < 1e-11, "hisq fat");
            test::expect(difference(hisq.naik, hisq_reference.naik) < 1e-12, "hisq naik");
          }
        });
  BOOST_TEST(true);
}

BOOST_AUTO_TEST_CASE(every_grid_gives_the_same_bits) {
  const coordinate lattice{4, 4, 4, 4};
  for (const bool naik : {false, true}) {
    const auto make = [naik](gauge_field& links) {
      set_hot(links, 3);
      auto made = make_hisq_links(links);
      links = std::move(naik ? made.naik : made.fat);
    };
    const snapshot alone = snapshot_on(lattice, {1, 1, 1, 1}, make);
    for (const coordinate& grid : {coordinate{2, 1, 1, 1}, {1, 1, 2, 2}, {1, 4, 1, 1}})
      BOOST_TEST((snapshot_on(lattice, grid, make) == alone));
  }
}

BOOST_AUTO_TEST_CASE(links_turn_with_the_gauge_at_their_ends) {
  on_one_rank({4, 4, 2, 6}, [](gauge_field& links) {
    set_warm(links);
    gauge_field turned(links.geometry()), g(links.geometry());
    std::copy(links.data().begin(), links.data().end(), turned.data().begin());
    transform_randomly(turned, 11);
    set_hot(g, 11);
    for (const bool hisq : {false, true}) {
      const auto make = [hisq](const gauge_field& thin) {
        return hisq ? make_hisq_links(thin) : make_asqtad_links(thin, u0);
      };
      const auto before = make(links), after = make(turned);
      BOOST_TEST(difference(after.fat, rotated(g, before.fat, 1)) < 1e-12);
      BOOST_TEST(difference(after.naik, rotated(g, before.naik, 3)) < 1e-13);
      BOOST_TEST(difference(after.naik, rotated(g, before.naik, 1)) > 0.1 / 24);
    }
  });
}

// The derivative is 9/8 sin p - 1/24 sin 3p = p + O(p^5), whatever the tadpole factor takes out of
// smooth links.
BOOST_AUTO_TEST_CASE(smooth_links_become_those_of_the_improved_derivative) {
  on_one_rank({2, 4, 2, 4}, [](gauge_field& links) {
    set_cold(links);
    const auto hisq = make_hisq_links(links);
    BOOST_TEST(distance_from_multiple(hisq.fat, 9.0 / 8) < 1e-14);
    BOOST_TEST(distance_from_multiple(hisq.naik, -1.0 / 24) < 1e-15);
    for (colour_matrix& link : links.data()) link = su3::scaled(u0, link);
    const auto asqtad = make_asqtad_links(links, u0);
    BOOST_TEST(distance_from_multiple(asqtad.fat, u0 * 9.0 / 8) < 1e-14);
    BOOST_TEST(distance_from_multiple(asqtad.naik, -u0 / 24) < 1e-15);
  });
}

namespace {

/// A free_derivative is F sin p + N sin 3p of links F and N, and what it becomes for an imaginary
/// momentum, with its slope.
struct free_derivative {
  double fat, naik;

  double at(double p) const { return fat * std::sin(p) + naik * std::sin(3 * p); }
  double beyond(double energy) const {
    return fat * std::sinh(energy) + naik * std::sinh(3 * energy);
  }
  double slope(double energy) const {
    return fat * std::cosh(energy) + 3 * naik * std::cosh(3 * energy);
  }
  /// Solves beyond(energy) = value, by bisection up to where the derivative turns back.
  double energy_of(double value) const {
    double low = 0, high = 0.1;
    while (beyond(high) < value && slope(high) > 0) high += 0.01;
    for (int k = 0; k < 100; ++k) {
      const double middle = (low + high) / 2;
      (beyond(middle) < value ? low : high) = middle;
    }
    return low;
  }
};

/// Returns the derivative of the smooth links that HISQ makes of unit links.
free_derivative free_hisq(double epsilon) {
  free_derivative result{};
  on_one_rank({2, 4, 2, 4}, [&](gauge_field& links) {
    set_cold(links);
    const auto hisq = make_hisq_links(links, epsilon);
    result = {hisq.fat.link(0, {0, 0, 0, 0})[0].real(), hisq.naik.link(0, {0, 0, 0, 0})[0].real()};
  });
  return result;
}

/// Returns dE^2/dp^2 at rest of m^2 + at(p)^2 = beyond(E)^2, whose derivative starts as p does.
double speed_of_light_squared(double mass, double epsilon) {
  const free_derivative d = free_hisq(epsilon);
  const double rest = d.energy_of(mass);
  return rest / (d.beyond(rest) * d.slope(rest));
}

}  // namespace

// The series ends with m^8: what is left of the dispersion falls with its next term.
BOOST_AUTO_TEST_CASE(tree_level_naik_epsilon_gives_heavy_quarks_the_speed_of_light) {
  for (const double mass : {0.3, 0.5, 0.8}) {
    const double epsilon = tree_level_naik_epsilon(mass);
    BOOST_TEST(epsilon < 0);
    BOOST_TEST(std::abs(speed_of_light_squared(mass, epsilon) - 1) < 0.05 * std::pow(mass, 10));
    // Without epsilon it is 9/20 m^4.
    BOOST_TEST(speed_of_light_squared(mass, 0) - 1 > 0.2 * std::pow(mass, 4));
  }
  for (const double wrong : {-0.1, 2.0, std::nan("")})
    BOOST_CHECK_THROW(tree_level_naik_epsilon(wrong), usage_error);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_made_is_refused_on_every_rank) {
  run_on_threads(2, [](context ctx) {
    gauge_field links(geometry(ctx, {2, 2, 2, 4}, {1, 1, 1, 2}));
    set_cold(links);
    for (const double wrong : {0.0, -1.0, std::nan("")})
      test::message_of<usage_error>([&] { make_asqtad_links(links, wrong); });
    test::message_of<usage_error>([&] { make_hisq_links(links, std::nan("")); });
    for (colour_matrix& link : links.data()) link = {};
    test::message_of<numeric_error>([&] { make_hisq_links(links); });
  });
}
