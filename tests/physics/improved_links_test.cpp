/// Fat and Naik links against the sums of their paths, and against what every sum of paths must
/// obey.

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

/// Neither smooth nor wild, as after a few sweeps.
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

/// Of this rank's links.
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

/// G(x) L_mu(x) G^+(x + distance mu), on one rank.
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
    run_on_threads(static_cast<int>(volume(grid)),
                   [&, lattice = lattice, grid = grid](context ctx) {
                     gauge_field links(geometry(ctx, lattice, grid));
                     set_warm(links);
                     const auto asqtad = make_asqtad_links(links, u0);
                     const auto judged = reference::asqtad_links(links, u0);
                     test::expect(difference(asqtad.fat, judged.fat) < 1e-13, "asqtad fat");
                     test::expect(difference(asqtad.naik, judged.naik) < 1e-14, "asqtad naik");
                     const auto hisq = make_hisq_links(links);
                     const auto hisq_judged = reference::hisq_links(links);
                     test::expect(difference(hisq.fat, hisq_judged.fat) < 1e-11, "hisq fat");
                     test::expect(difference(hisq.naik, hisq_judged.naik) < 1e-12, "hisq naik");
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

// 9/8 sin p - 1/24 sin 3p = p + O(p^5), whatever the tadpole factor takes out of smooth links.
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

BOOST_AUTO_TEST_CASE(what_cannot_be_made_is_refused_on_every_rank) {
  run_on_threads(2, [](context ctx) {
    gauge_field links(geometry(ctx, {2, 2, 2, 4}, {1, 1, 1, 2}));
    set_cold(links);
    for (const double wrong : {0.0, -1.0, std::nan("")})
      test::message_of<usage_error>([&] { make_asqtad_links(links, wrong); });
    for (colour_matrix& link : links.data()) link = {};
    test::message_of<numeric_error>([&] { make_hisq_links(links); });
  });
}
