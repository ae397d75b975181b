#include "lattice/lane_layout.hpp"

#include "lattice/lane_field.hpp"

#include <onehop/error.hpp>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <complex>
#include <numeric>
#include <set>

#include "support/difference.hpp"
#include "support/ranks.hpp"

using namespace onehop;

namespace {

template <class Body>
void alone(const coordinate& lattice, const Body& body) {
  run_on_threads(1, [&](context ctx) { body(geometry(ctx, lattice)); });
}

/// The cases are extents with the most lanes that fit them, of eight.
const std::vector<std::pair<coordinate, int>> cases = {{{8, 8, 8, 8}, 8}, {{4, 4, 4, 4}, 8},
                                                       {{4, 6, 2, 8}, 8}, {{4, 6, 2, 4}, 4},
                                                       {{6, 6, 6, 6}, 1}, {{2, 2, 2, 4}, 2}};

}  // namespace

BOOST_AUTO_TEST_CASE(as_many_lanes_as_the_extents_allow) {
  for (const auto& [lattice, lanes] : cases) {
    alone(lattice, [&, expected = lanes](const geometry& g) {
      BOOST_TEST(lane_layout::fitting_lanes(g, 8) == expected);
      BOOST_TEST(lane_layout::fitting_lanes(g, 2) == std::min(expected, 2));
    });
  }
}

BOOST_AUTO_TEST_CASE(every_site_has_one_place_of_its_parity) {
  for (const auto& [lattice, most] : cases) {
    for (int lanes = 1; lanes <= most; lanes *= 2) {
      alone(lattice, [&](const geometry& g) {
        const lane_layout layout(g, lanes);
        std::set<std::size_t> seen;
        for (int parity = 0; parity < 2; ++parity) {
          for (std::int32_t v = 0; v < layout.vectors(parity); ++v) {
            for (int lane = 0; lane < lanes; ++lane) {
              const coordinate site = layout.site(parity, v, lane);
              BOOST_REQUIRE(g.parity(site) == parity);
              const auto place = layout.locate(site);
              BOOST_REQUIRE((place.parity == parity && place.vector == v && place.lane == lane));
              seen.insert(g.local_index(site));
            }
          }
        }
        BOOST_TEST(seen.size() == g.volume());
      });
    }
  }
}

namespace {

void check_neighbours(const geometry& g, const lane_layout& layout, int distance) {
  for (int parity = 0; parity < 2; ++parity) {
    const auto neighbours = layout.neighbours(parity, distance);
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      const lane_neighbour& n = neighbours[k];
      const int direction = static_cast<int>(k % 8);
      const int mu = direction % 4;
      const bool at_edge = (layout.edges(parity, distance)[k / 8] >> direction & 1U) != 0;
      for (int lane = 0; lane < layout.lanes(); ++lane) {
        coordinate expected = layout.site(parity, static_cast<std::int32_t>(k / 8), lane);
        const int extent = g.lattice()[mu];
        const int step = direction < 4 ? distance : -distance;
        expected[mu] = (expected[mu] + step + 2 * extent) % extent;
        const int from = at_edge ? static_cast<int>(layout.shuffle(direction)[lane]) : lane;
        BOOST_REQUIRE((layout.site(1 - parity, n.vector, from) == expected));
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(shuffled_neighbours_are_the_sites_next_door) {
  for (const auto& [lattice, lanes] : cases) {
    alone(lattice,
          [lanes_ = lanes](const geometry& g) { check_neighbours(g, lane_layout(g, lanes_), 1); });
  }
}

BOOST_AUTO_TEST_CASE(so_are_those_three_sites_away) {
  const std::vector<std::pair<coordinate, int>> far_cases = {
      {{8, 8, 8, 8}, 8}, {{4, 6, 2, 8}, 2}, {{16, 2, 2, 8}, 8}, {{4, 4, 4, 4}, 1}};
  for (const auto& [lattice, lanes] : far_cases) {
    alone(lattice, [lanes_ = lanes](const geometry& g) {
      BOOST_TEST(lane_layout::fitting_lanes(g, 8, 3) == lanes_);
      const lane_layout layout(g, lanes_, 3);
      check_neighbours(g, layout, 1);
      check_neighbours(g, layout, 3);
    });
  }
}

BOOST_AUTO_TEST_CASE(spreading_and_collecting_returns_the_field) {
  alone({4, 6, 2, 8}, [](const geometry& g) {
    const lane_layout layout(g, 4);
    std::vector<std::complex<double>> field(g.volume() * 3), back(field.size());
    for (std::size_t k = 0; k < field.size(); ++k) field[k] = {double(k), -double(k)};
    for (int parity = 0; parity < 2; ++parity) {
      lane_field half(layout, parity, 3);
      spread(layout, field, half);
      collect(layout, half, back);
    }
    BOOST_TEST((field == back));
  });
}

BOOST_AUTO_TEST_CASE(gamma_t_is_diagonal_where_spinors_are_spread) {
  alone({4, 4, 2, 6}, [](const geometry& g) {
    const lane_layout layout(g, 2);
    std::vector<std::complex<double>> psi(g.volume() * 12), turned(psi.size()), back(psi.size());
    for (std::size_t k = 0; k < psi.size(); ++k) psi[k] = std::polar(1.0, double(k));
    // In the DeGrand-Rossi basis gamma_t exchanges upper and lower spins.
    for (std::size_t k = 0; k < psi.size(); ++k) turned[k] = psi[k % 12 < 6 ? k + 6 : k - 6];
    for (int parity = 0; parity < 2; ++parity) {
      lane_field plain(layout, parity, 12), times_gamma(layout, parity, 12);
      spread(layout, psi, plain);
      spread(layout, turned, times_gamma);
      for (std::size_t block = 0; block < plain.blocks(); ++block) {
        std::array<std::complex<double>, 12> a, b;
        plain.read(block, 1, a);
        times_gamma.read(block, 1, b);
        for (int c = 0; c < 12; ++c) BOOST_TEST(b[c] == (c < 6 ? a[c] : -a[c]));
      }
      collect(layout, plain, back);
    }
    BOOST_TEST(tests::largest_difference(back, psi) < 1e-15);
  });
}

BOOST_AUTO_TEST_CASE(what_cannot_be_laid_out_is_refused) {
  alone({4, 3, 4, 4}, [](const geometry& g) { BOOST_CHECK_THROW(lane_layout(g, 1), usage_error); });
  alone({6, 6, 6, 6}, [](const geometry& g) { BOOST_CHECK_THROW(lane_layout(g, 2), usage_error); });
  run_on_threads(2, [](context ctx) {
    const geometry thin(ctx, {4, 4, 4, 4}, {1, 1, 1, 2});
    const std::string refusal = test::message_of<usage_error>([&] { lane_layout(thin, 1, 3); });
    test::expect(!refusal.empty());
  });
}
