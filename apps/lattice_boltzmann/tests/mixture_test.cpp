#include "slow_mixture.hpp"

#include <lattice_boltzmann/each_cell.hpp>

#include <onehop/adversary.hpp>
#include <onehop/error.hpp>
#include <onehop/random.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

using namespace lattice_boltzmann;

namespace {

/// Returns an order parameter without any symmetry.
double stirred(const onehop::coordinate& cell) {
  const auto site = static_cast<std::uint64_t>(cell[0] + 64 * (cell[1] + 64 * cell[2]));
  return 1.6 * onehop::site_random(3, onehop::user_random(0), 0, site).uniform_pair()[0] - 0.8;
}

struct run_setup {
  std::vector<int> lattice{37, 4, 5}, grid{1, 1, 1};
  bool walls = false;
  int lanes = 0;  ///< lanes of the kernels; 0 for the widest
  overlap overlaps = overlap::bulk;
  int steps = 5;
  bool phases = false;  ///< two densities
  double light_tau = 0.7;
  std::optional<double> magic = {};

  mixture_options how() const {
    return {.tau = 0.7,
            .magic = magic,
            .interface_width = 3,
            .surface_tension = 0.02,
            .mobility = 0.3,
            .wall_cosine = 0.6,
            .densities =
                phases ? std::optional(two_densities{
                             .light = 0.2, .gravity = 1e-4, .drive = 2e-5, .light_tau = light_tau})
                       : std::nullopt,
            .how = overlaps};
  }
};

/// A history has order parameter, density, pressure and velocity by global coordinate.
using history = std::map<onehop::coordinate, std::array<double, 6>>;

template <class Real>
void play(const onehop::context& job, const run_setup& of, history& found, std::mutex& lock) {
  const onehop::cartesian ranks(job, of.lattice,
                                {.grid = of.grid, .periodic = {true, true, !of.walls}});
  mixture<Real> fluids(ranks, of.how());
  for (const auto& kernels : usable_kernels<Real>())
    if (kernels.lanes == of.lanes) fluids.use(kernels);
  fluids.set(stirred);
  for (int step = 0; step < of.steps; ++step) fluids.step();
  const std::lock_guard held(lock);
  for_cells(fluids.where(), [&](int x, int y, int z, const onehop::coordinate& cell) {
    const mixture_cell here = fluids.at(x, y, z);
    const auto& u = here.whole.velocity;
    found[cell] = {here.phi, here.whole.excess, here.pressure, u[0], u[1], u[2]};
  });
}

template <class Real = double>
history history_of(const run_setup& of) {
  history found;
  std::mutex lock;
  onehop::run_on_threads(of.grid[0] * of.grid[1] * of.grid[2],
                         [&](onehop::context job) { play<Real>(job, of, found, lock); });
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(fluids_are_those_of_a_plain_implementation) {
  for (const bool walls : {false, true}) {
    run_setup of{{7, 5, 6}, {1, 1, 1}, walls};
    for (of.steps = 0; of.steps < 12; of.steps += 3) {
      slow_mixture slow({7, 5, 6}, walls, of.how());
      slow.set(stirred);
      for (int step = 0; step < of.steps; ++step) slow.step();
      double most = 0;
      for (const auto& [cell, found] : history_of(of)) {
        double n = 0;
        const auto u = slow.velocity_at(cell[0], cell[1], cell[2], n);
        most = std::max({most, std::abs(found[0] - slow.phi(cell[0], cell[1], cell[2])),
                         std::abs(found[1] + 1 - n), std::abs(found[3] - u[0]),
                         std::abs(found[4] - u[1]), std::abs(found[5] - u[2])});
      }
      BOOST_TEST(most < 1e-14, "walls " << walls << " steps " << of.steps);
    }
  }
}

BOOST_AUTO_TEST_CASE(fluids_are_the_same_bits_on_every_grid) {
  for (const auto& [walls, phases, light_tau] :
       {std::tuple{false, false, 0.7}, {true, false, 0.7}, {true, true, 0.7}, {true, true, 1.1}}) {
    run_setup of;
    of.walls = walls, of.phases = phases, of.light_tau = light_tau;
    const history expected = history_of(of);
    for (const std::vector<int>& grid :
         {std::vector{1, 1, 2}, std::vector{1, 2, 1}, std::vector{2, 1, 1}, std::vector{1, 4, 1},
          std::vector{1, 2, 2}, std::vector{2, 1, 2}}) {
      of.grid = grid;
      BOOST_TEST((history_of(of) == expected), grid[0] << grid[1] << grid[2]);
      of.overlaps = of.overlaps == overlap::bulk ? overlap::none : overlap::bulk;
    }
    of.grid = {1, 2, 2};
    const history parted = history_of<float>(of);
    of.grid = {1, 1, 1};
    BOOST_TEST((parted == history_of<float>(of)));
  }
}

BOOST_AUTO_TEST_CASE(a_second_viscosity_that_is_nearly_the_first_changes_nearly_nothing) {
  for (const std::optional<double> magic : {std::optional<double>(), std::optional(3.0 / 16)}) {
    run_setup of{.walls = true, .steps = 20, .phases = true};
    of.magic = magic;
    const history same = history_of(of);
    of.light_tau = 0.7 + 1e-13;
    const history other = history_of(of);
    double most = 0;
    for (const auto& [cell, found] : other) {
      for (std::size_t k = 0; k < found.size(); ++k)
        most = std::max(most, std::abs(found[k] - same.at(cell)[k]));
    }
    BOOST_TEST(most < 1e-12);
    of.light_tau = 0.9;
    BOOST_TEST((history_of(of) != same));
  }
}

BOOST_AUTO_TEST_CASE(fluids_are_the_same_bits_with_any_number_of_lanes) {
  for (const auto& [phases, light_tau] :
       {std::pair{false, 0.7}, {true, 0.7}, {true, 0.6}, {true, 1.3}}) {
    const run_setup widest{
        .lattice = {21, 3, 2}, .phases = phases, .light_tau = light_tau, .magic = 0.1};
    for (const auto& kernels : usable_kernels<double>()) {
      run_setup of = widest;
      of.lanes = kernels.lanes;
      BOOST_TEST((history_of(of) == history_of(widest)), kernels.isa);
    }
    for (const auto& kernels : usable_kernels<float>()) {
      run_setup of = widest;
      of.lanes = kernels.lanes;
      BOOST_TEST((history_of<float>(of) == history_of<float>(widest)), kernels.isa);
    }
  }
}

BOOST_AUTO_TEST_CASE(fluids_are_the_same_bits_under_the_adversary) {
  const run_setup of{.lattice = {6, 4, 5}, .grid = {1, 2, 2}, .walls = true};
  const history expected = history_of({.lattice = {6, 4, 5}, .walls = true});
  history found;
  std::mutex lock;
  onehop::run_with_adversary(4, 1,
                             [&](onehop::context job) { play<double>(job, of, found, lock); });
  BOOST_TEST((found == expected));
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused_with_the_values) {
  const auto refused = [](const mixture_options& how, const std::string& word) {
    try {
      mixture<double>(onehop::cartesian(onehop::join("self"), {4, 4, 4}), how);
    } catch (const onehop::usage_error& error) {
      return std::string(error.what()).find(word) != std::string::npos;
    }
    return false;
  };
  BOOST_TEST(refused({.tau = 0.5}, "above 0.5"));
  BOOST_TEST(refused({.interface_width = 1}, "width"));
  BOOST_TEST(refused({.surface_tension = 0}, "tension"));
  BOOST_TEST(refused({.mobility = 0}, "mobility"));
  // 5 / (108 (8 A + 4 kappa)) = 5 / (108 (0.015 + 0.06)).
  BOOST_TEST(refused({.mobility = 0.6173}, "below 0.617284"));
  BOOST_TEST(!refused({.mobility = 0.6172}, "mobility"));
  BOOST_TEST(refused({.wall_cosine = 1.1}, "cosine"));
  BOOST_TEST(refused({.densities = two_densities{.light = 0}}, "light density"));
  BOOST_TEST(refused({.densities = two_densities{.light = 1.1}}, "light density"));
  BOOST_TEST(refused({.densities = two_densities{.gravity = INFINITY}}, "gravity"));
  BOOST_TEST(refused({.densities = two_densities{.drive = INFINITY}}, "drive"));
  BOOST_TEST(refused({.densities = two_densities{.light_tau = 0.5}}, "above 0.5"));
}
