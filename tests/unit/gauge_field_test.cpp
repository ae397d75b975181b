#include <onehop/error.hpp>
#include <onehop/gauge_field.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "physics/gauge_tools.hpp"

using namespace onehop;
using namespace onehop::tests;

namespace {

/// Returns whether every padded site has the links of the site it stands for, and these are not all
/// alike.
bool ghosts_are_copies(const gauge_field& links) {
  const geometry& block = links.geometry();
  const coordinate& extent = block.local();
  for (int mu = 0; mu < 4; ++mu)
    for (int corner = 0; corner < 16; ++corner) {
      coordinate ghost{}, site{};
      for (std::size_t nu = 0; nu < 4; ++nu) {
        const bool high = (corner >> nu & 1) != 0;
        ghost[nu] = high ? extent[nu] : -1;
        site[nu] = high ? 0 : extent[nu] - 1;
      }
      if (links.link(mu, ghost) != links.link(mu, site)) return false;
    }
  return links.link(0, {0, 0, 0, 0}) != links.link(1, {0, 0, 0, 0});
}

std::string damage_message(std::size_t mu, const coordinate& bad, double value) {
  std::vector<std::string> messages(2, "no numeric_error");
  run_on_threads(2, [&](context ctx) {
    gauge_field links(geometry(ctx, {2, 4, 2, 6}, {1, 1, 1, 2}));
    set_cold(links);
    coordinate local = bad;
    for (std::size_t nu = 0; nu < 4; ++nu) local[nu] -= links.geometry().origin()[nu];
    if (local[3] >= 0 && local[3] < 3) links.link(static_cast<int>(mu), local)[4] = {0, value};
    try {
      check_links(links);
    } catch (const numeric_error& e) {
      messages[static_cast<std::size_t>(ctx.rank())] = e.what();
    }
  });
  BOOST_TEST(messages[0] == messages[1]);
  return messages[0];
}

}  // namespace

BOOST_AUTO_TEST_CASE(cold_links_are_one_and_so_are_their_averages) {
  const snapshot cold = snapshot_on({2, 3, 4, 5}, {1, 1, 1, 1}, set_cold);
  BOOST_TEST(cold.averages == (std::vector<double>{1, 1, 1, 1, 0}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(plaquettes_do_not_change_under_gauge_transformations) {
  std::array<plaquette_average, 3> p{};
  std::array<double, 3> trace{};
  run_on_threads(1, [&](context ctx) {
    gauge_field links(geometry(ctx, {4, 2, 3, 4}));
    set_cold(links);
    transform_randomly(links, 3);
    p[0] = plaquette(links);
    set_hot(links, 1);
    p[1] = plaquette(links);
    trace[1] = link_trace(links);
    transform_randomly(links, 2);
    p[2] = plaquette(links);
    trace[2] = link_trace(links);
  });
  BOOST_TEST(std::abs(p[0].mean - 1) < 1e-14);
  BOOST_TEST(std::abs(p[1].mean - p[2].mean) < 1e-14);
  BOOST_TEST(std::abs(p[1].spatial - p[2].spatial) < 1e-14);
  BOOST_TEST(std::abs(p[1].temporal - p[2].temporal) < 1e-14);
  BOOST_TEST(std::abs(p[1].spatial - p[1].temporal) > 1e-3);
  BOOST_TEST(std::abs(trace[1] - trace[2]) > 1e-3);
}

// The y links have a phase exp(2 pi i x / L) on diag(1,-1,0): the plaquettes of the x-y plane alone
// differ from one, all alike.
BOOST_AUTO_TEST_CASE(a_constant_field_strength_shows_in_its_plane_alone) {
  constexpr int extent = 8;
  plaquette_average p{};
  run_on_threads(1, [&](context ctx) {
    gauge_field links(geometry(ctx, {extent, 2, 2, 2}));
    set_cold(links);
    for (int x = -1; x <= extent; ++x)
      for (int other = 0; other < 64; ++other) {
        const double angle = 2 * std::numbers::pi * x / extent;
        auto& u = links.link(1, {x, other % 4 - 1, other / 4 % 4 - 1, other / 16 - 1});
        u[0] = std::polar(1.0, angle);
        u[4] = std::polar(1.0, -angle);
      }
    p = plaquette(links);
  });
  const double in_plane = (1 + 2 * std::cos(2 * std::numbers::pi / extent)) / 3;
  BOOST_TEST(std::abs(p.spatial - (in_plane + 2) / 3) < 1e-14);
  BOOST_TEST(std::abs(p.temporal - 1) < 1e-14);
  BOOST_TEST(std::abs(p.mean - (in_plane + 5) / 6) < 1e-14);
}

BOOST_AUTO_TEST_CASE(hot_links_follow_the_haar_measure) {
  haar_moments m;
  double unitarity = 1;
  run_on_threads(1, [&](context ctx) {
    gauge_field links(geometry(ctx, {8, 8, 8, 8}));
    set_hot(links, 17);
    m = moments_of(links);
    unitarity = check_links(links);
  });
  check_haar(m);
  BOOST_TEST(unitarity < 1e-13);
}

BOOST_AUTO_TEST_CASE(hot_links_and_their_averages_are_the_same_on_every_grid) {
  const coordinate lattice{4, 4, 4, 4};
  const auto make = [](gauge_field& links) { set_hot(links, 21); };
  const snapshot expected = snapshot_on(lattice, {1, 1, 1, 1}, make);
  for (const auto& grid : grids_of_4x4x4x4()) {
    BOOST_TEST((snapshot_on(lattice, grid, make) == expected), "grid " << to_string(grid));
  }
  BOOST_TEST((snapshot_on(lattice, {1, 1, 1, 1}, [](gauge_field& links) { set_hot(links, 22); }) !=
              expected));
}

BOOST_AUTO_TEST_CASE(ghost_corners_are_copies_after_an_exchange) {
  for (const coordinate lattice : {coordinate{4, 3, 2, 5}, {1, 1, 1, 1}}) {
    bool good = false;
    run_on_threads(1, [&](context ctx) {
      gauge_field links(geometry(ctx, lattice));
      set_hot(links, 5);
      good = ghosts_are_copies(links);
    });
    BOOST_TEST(good);
  }
}

BOOST_AUTO_TEST_CASE(a_link_that_is_not_finite_is_named_on_every_rank) {
  const std::string first = damage_message(2, {1, 3, 0, 4}, std::nan(""));
  BOOST_TEST((first.find("direction z at site (1,3,0,4)") != std::string::npos), first);
  const std::string other =
      damage_message(3, {0, 0, 1, 2}, std::numeric_limits<double>::infinity());
  BOOST_TEST((other.find("direction t at site (0,0,1,2)") != std::string::npos), other);
}

BOOST_AUTO_TEST_CASE(a_link_that_is_not_unitary_is_measured) {
  double deviation = 0;
  run_on_threads(2, [&](context ctx) {
    gauge_field links(geometry(ctx, {2, 2, 2, 4}, {1, 1, 1, 2}));
    set_cold(links);
    if (ctx.rank() == 1) links.link(3, {1, 0, 1, 1})[0] = 1.5;
    const double mine = check_links(links);
    if (ctx.rank() == 0) deviation = mine;
  });
  BOOST_TEST(deviation == 1.25);
}
