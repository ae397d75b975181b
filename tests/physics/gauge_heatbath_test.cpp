#include <onehop/error.hpp>
#include <onehop/gauge_field.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "physics/gauge_tools.hpp"

using namespace onehop;
using namespace onehop::tests;

namespace {

constexpr coordinate lattice{4, 4, 4, 4};

std::function<void(gauge_field&)> hot_and_sweeps(const heatbath_options& options, int sweeps) {
  return [=](gauge_field& links) {
    set_hot(links, 8);
    for (int k = 0; k < sweeps; ++k) heatbath_sweep(links, options, static_cast<std::uint64_t>(k));
  };
}

void set_links(gauge_field& links, const std::vector<colour_matrix>& global) {
  const geometry& block = links.geometry();
  for (std::size_t k = 0; k < block.local_volume(); ++k) {
    const coordinate site = block.local_site(k);
    for (std::size_t mu = 0; mu < 4; ++mu)
      links.link(static_cast<int>(mu), site) =
          global[4 * block.global_index(block.global_site(site)) + mu];
  }
  links.exchange_ghosts();
}

std::string refusal(const coordinate& extents, const heatbath_options& options,
                    std::uint64_t sweep) {
  std::string message = "no usage_error";
  run_on_threads(1, [&](context ctx) {
    gauge_field links(geometry(ctx, extents));
    set_cold(links);
    try {
      heatbath_sweep(links, options, sweep);
    } catch (const usage_error& e) {
      message = e.what();
    }
  });
  return message;
}

}  // namespace

BOOST_AUTO_TEST_CASE(sweeps_give_the_same_links_on_every_grid) {
  const heatbath_options options{5.8, 33, 2};
  const snapshot expected = snapshot_on(lattice, {1, 1, 1, 1}, hot_and_sweeps(options, 2));
  for (const auto& grid : grids_of_4x4x4x4())
    BOOST_TEST((snapshot_on(lattice, grid, hot_and_sweeps(options, 2)) == expected),
               "grid " << to_string(grid));
  BOOST_TEST((snapshot_on(lattice, {1, 1, 1, 1}, hot_and_sweeps({5.8, 34, 2}, 2)) != expected));
}

// Blocks of odd extent begin with an even site on some ranks and with an odd one on others.
BOOST_AUTO_TEST_CASE(sweeps_give_the_same_links_on_blocks_of_odd_extent) {
  const coordinate odd_blocks{6, 2, 6, 2};
  const auto make = hot_and_sweeps({5.8, 33, 1}, 2);
  const snapshot expected = snapshot_on(odd_blocks, {1, 1, 1, 1}, make);
  for (const coordinate grid : {coordinate{2, 1, 2, 1}, {1, 2, 1, 2}, {2, 2, 1, 1}})
    BOOST_TEST((snapshot_on(odd_blocks, grid, make) == expected), "grid " << to_string(grid));
}

BOOST_AUTO_TEST_CASE(a_chain_can_be_continued) {
  const heatbath_options options{5.8, 1, 1};
  const snapshot at_once = snapshot_on(lattice, {1, 1, 1, 1}, hot_and_sweeps(options, 4));
  const snapshot half = snapshot_on(lattice, {1, 1, 1, 1}, hot_and_sweeps(options, 2));
  const auto resume_at = [&](std::uint64_t first) {
    return snapshot_on(lattice, {1, 1, 1, 2}, [&, first](gauge_field& links) {
      set_links(links, half.links);
      for (std::uint64_t sweep = first; sweep < first + 2; ++sweep)
        heatbath_sweep(links, options, sweep);
    });
  };
  BOOST_TEST((resume_at(2) == at_once));
  BOOST_TEST((resume_at(0) != at_once));
}

BOOST_AUTO_TEST_CASE(overrelaxation_moves_links_but_not_the_action) {
  const snapshot before = snapshot_on(lattice, {1, 1, 1, 1}, hot_and_sweeps({5.8, 2, 0}, 1));
  const snapshot after = snapshot_on(lattice, {1, 1, 1, 1}, hot_and_sweeps({5.8, 2, 7}, 1));
  BOOST_TEST(std::abs(before.averages[0] - after.averages[0]) < 1e-13);
  BOOST_TEST(std::abs(before.averages[1] - after.averages[1]) > 1e-5);
  double distance = 0;
  for (std::size_t k = 0; k < before.links.size(); ++k)
    for (std::size_t c = 0; c < 9; ++c)
      distance += std::norm(before.links[k][c] - after.links[k][c]);
  // Two independent SU(3) matrices are sqrt(6) apart.
  BOOST_TEST(distance / static_cast<double>(before.links.size()) > 2.0);
}

BOOST_AUTO_TEST_CASE(links_stay_in_su3) {
  const snapshot s = snapshot_on(lattice, {1, 1, 1, 1}, hot_and_sweeps({6.0, 4, 4}, 20));
  BOOST_TEST(s.averages[4] < 1e-13);
  double worst = 0;
  for (const auto& u : s.links) {
    const auto minor = [&u](std::size_t j, std::size_t k) {
      return u[3 + j] * u[6 + k] - u[3 + k] * u[6 + j];
    };
    const auto determinant = u[0] * minor(1, 2) + u[1] * minor(2, 0) + u[2] * minor(0, 1);
    worst = std::max(worst, std::abs(determinant - 1.0));
  }
  BOOST_TEST(worst < 1e-13);
}

BOOST_AUTO_TEST_CASE(a_sweep_brings_drifted_links_back_to_su3) {
  double before = 0;
  const auto drift_and_sweep = [&before](gauge_field& links) {
    set_hot(links, 3);
    for (auto& u : links.data())
      for (std::size_t k = 0; k < 9; ++k) u[k] *= 1.0 + 1e-8 * static_cast<double>(k);
    before = check_links(links);
    heatbath_sweep(links, {6.0, 1, 1}, 0);
  };
  const snapshot after = snapshot_on(lattice, {1, 1, 1, 1}, drift_and_sweep);
  BOOST_TEST(before > 1e-8);
  BOOST_TEST(after.averages[4] < 1e-13);
}

BOOST_AUTO_TEST_CASE(wrong_use_is_refused_with_its_values) {
  const auto mentions = [](const std::string& message, const std::string& piece) {
    BOOST_TEST((message.find(piece) != std::string::npos), "'" << piece << "' in: " << message);
  };
  mentions(refusal({4, 4, 3, 4}, {}, 0), "lattice 4x4x3x4: extent 3 is odd");
  mentions(refusal(lattice, {-1.0, 1, 4}, 0), "beta -1");
  mentions(refusal(lattice, {std::nan(""), 1, 4}, 0), "beta nan");
  mentions(refusal(lattice, {6.0, 1, -2}, 0), "-2 overrelaxation");
  mentions(refusal(lattice, {6.0, 1, 4}, std::numeric_limits<std::uint64_t>::max()), "2^54");
}
