#include "slow_flow.hpp"

#include <onehop/adversary.hpp>
#include <onehop/error.hpp>
#include <onehop/random.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>

using namespace lattice_boltzmann;

namespace {

constexpr onehop::random_use random_flow = onehop::user_random(0);

/// Returns densities and velocities without any symmetry.
fluid stirred(const onehop::coordinate& cell) {
  const auto site = static_cast<std::uint64_t>(cell[0] + 64 * (cell[1] + 64 * cell[2]));
  const auto [a, b] = onehop::site_random(3, random_flow, 0, site).uniform_pair();
  const auto [c, d] = onehop::site_random(3, random_flow, 1, site).uniform_pair();
  return {0.02 * (a - 0.5), {0.1 * (b - 0.5), 0.1 * (c - 0.5), 0.1 * (d - 0.5)}};
}

/// Returns solid cells without any symmetry, some of them isolated and one in a corner of the
/// lattice.
bool rough(const onehop::coordinate& cell) {
  const auto site = static_cast<std::uint64_t>(cell[0] + 64 * (cell[1] + 64 * cell[2]));
  return site == 0 || onehop::site_random(3, random_flow, 2, site).uniform_pair()[0] < 0.2;
}

struct run_setup {
  std::vector<int> lattice, grid;
  std::vector<bool> periodic{true, true, true};
  flow_options how{.tau = 0.7, .magic = 0.2, .force = {1e-3, -2e-3, 3e-3}};
  int lanes = 0;  ///< lanes of the kernels; 0 for the widest
  int steps = 5;
  bool solid = false;  ///< whether cells are solid where it is rough
};

/// A history has all populations of fluid cells, by global coordinate.
using history = std::map<onehop::coordinate, std::array<double, directions>>;

template <class Real>
void play(const onehop::context& job, const run_setup& of, history& found, std::mutex& lock) {
  const onehop::cartesian ranks(job, of.lattice, {.grid = of.grid, .periodic = of.periodic});
  flow<Real> fluids(ranks, of.how);
  for (const auto& kernels : usable_kernels<Real>())
    if (kernels.lanes == of.lanes) fluids.use(kernels);
  if (of.solid) fluids.set_solid(rough);
  fluids.set(stirred);
  for (int step = 0; step < of.steps; ++step) fluids.step();
  const std::lock_guard held(lock);
  const auto& origin = ranks.origin();
  for (int z = 0; z < ranks.local()[2]; ++z)
    for (int y = 0; y < ranks.local()[1]; ++y)
      for (int x = 0; x < ranks.local()[0]; ++x) {
        const onehop::coordinate cell{origin[0] + x, origin[1] + y, origin[2] + z, 0};
        if (!of.solid || !rough(cell)) found[cell] = fluids.populations_at(x, y, z);
      }
}

template <class Real = double>
history history_of(const run_setup& of) {
  history found;
  std::mutex lock;
  onehop::run_on_threads(of.grid[0] * of.grid[1] * of.grid[2],
                         [&](onehop::context job) { play<Real>(job, of, found, lock); });
  return found;
}

double difference(const history& fast, const slow_flow& slow) {
  double most = 0;
  for (const auto& [cell, f] : fast)
    for (std::size_t i = 0; i < directions; ++i)
      most = std::max(most, std::abs(f[i] + weight(i) - slow.at(cell[0], cell[1], cell[2])[i]));
  return most;
}

std::string text(const run_setup& of) {
  std::string words;
  for (std::size_t mu = 0; mu < 3; ++mu)
    words += std::to_string(of.grid[mu]) + (of.periodic[mu] ? " " : "w ");
  return words;
}

}  // namespace

BOOST_AUTO_TEST_CASE(populations_are_those_of_a_plain_implementation) {
  for (const auto& periodic : {std::vector{true, true, true}, std::vector{true, true, false},
                               std::vector{true, false, true}, std::vector{false, true, true},
                               std::vector{false, false, true}, std::vector{false, false, false}}) {
    for (const std::optional<double> magic : {std::optional<double>(), std::optional(0.2)}) {
      run_setup of{{7, 5, 6}, {1, 1, 1}, periodic};
      of.how.magic = magic;
      for (of.steps = 0; of.steps < 12; of.steps += 3) {
        slow_flow slow({7, 5, 6}, {periodic[0], periodic[1], periodic[2]}, of.how);
        slow.set(stirred);
        for (int step = 0; step < of.steps; ++step) slow.step();
        BOOST_TEST(difference(history_of(of), slow) < 1e-15, text(of) << of.steps);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(populations_come_back_from_solid_cells_as_in_a_plain_implementation) {
  for (const auto& periodic : {std::vector{true, true, true}, std::vector{true, true, false},
                               std::vector{false, true, true}, std::vector{false, false, false}}) {
    run_setup of{{7, 5, 6}, {1, 1, 1}, periodic};
    of.solid = true;
    for (of.steps = 0; of.steps < 12; of.steps += 3) {
      slow_flow slow({7, 5, 6}, {periodic[0], periodic[1], periodic[2]}, of.how);
      slow.set(stirred);
      slow.set_solid(rough);
      for (int step = 0; step < of.steps; ++step) slow.step();
      BOOST_TEST(difference(history_of(of), slow) < 1e-15, text(of) << of.steps);
    }
  }
}

BOOST_AUTO_TEST_CASE(populations_around_solid_cells_are_the_same_bits_on_every_grid) {
  for (const auto& periodic : {std::vector{true, true, true}, std::vector{true, true, false}}) {
    run_setup of{{9, 4, 5}, {1, 1, 1}, periodic};
    of.solid = true;
    const history expected = history_of(of);
    for (const std::vector<int>& grid :
         {std::vector{1, 1, 2}, std::vector{1, 2, 1}, std::vector{2, 1, 1}, std::vector{1, 4, 1},
          std::vector{2, 2, 1}, std::vector{1, 2, 2}, std::vector{2, 1, 5}}) {
      of.grid = grid;
      BOOST_TEST((history_of(of) == expected), text(of));
    }
  }
}

// Blocks are also uneven, and one cell thin. With several ranks, on every second grid inner cells
// collide before populations leave.
BOOST_AUTO_TEST_CASE(populations_are_the_same_bits_on_every_grid) {
  for (const auto& periodic : {std::vector{true, true, true}, std::vector{true, true, false},
                               std::vector{true, false, true}, std::vector{false, true, true}}) {
    const std::vector<int> lattice{37, 4, 5};
    const history expected = history_of({lattice, {1, 1, 1}, periodic});
    overlap how = overlap::bulk;
    for (const std::vector<int>& grid :
         {std::vector{1, 1, 2}, std::vector{1, 2, 1}, std::vector{2, 1, 1}, std::vector{1, 1, 5},
          std::vector{1, 4, 1}, std::vector{2, 2, 1}, std::vector{1, 2, 2}, std::vector{2, 1, 2},
          std::vector{5, 1, 1}}) {
      run_setup of{lattice, grid, periodic};
      of.how.how = how;
      BOOST_TEST((history_of(of) == expected), text(of));
      how = how == overlap::bulk ? overlap::none : overlap::bulk;
    }
    BOOST_TEST((history_of<float>({lattice, {1, 2, 2}, periodic}) ==
                history_of<float>({lattice, {1, 1, 1}, periodic})));
  }
}

BOOST_AUTO_TEST_CASE(populations_are_the_same_bits_with_any_number_of_lanes) {
  for (const int extent : {1, 3, 8, 21}) {
    const run_setup widest{{extent, 3, 2}, {1, 1, 1}};
    const history fine = history_of(widest), coarse = history_of<float>(widest);
    for (const auto& kernels : usable_kernels<double>()) {
      run_setup of = widest;
      of.lanes = kernels.lanes;
      BOOST_TEST((history_of(of) == fine), kernels.isa);
    }
    for (const auto& kernels : usable_kernels<float>()) {
      run_setup of = widest;
      of.lanes = kernels.lanes;
      BOOST_TEST((history_of<float>(of) == coarse), kernels.isa);
    }
  }
}

BOOST_AUTO_TEST_CASE(populations_are_the_same_bits_under_the_adversary) {
  for (const std::vector<int>& grid : {std::vector{2, 1, 2}, std::vector{1, 2, 2}}) {
    const run_setup of{{6, 4, 5}, grid, {true, true, false}};
    const history expected = history_of({of.lattice, {1, 1, 1}, of.periodic});
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      history found;
      std::mutex lock;
      onehop::run_with_adversary(4, seed,
                                 [&](onehop::context job) { play<double>(job, of, found, lock); });
      BOOST_TEST((found == expected), "seed " << seed);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused_with_the_values) {
  const auto job = onehop::join("self");
  const auto message = [&](const std::vector<int>& lattice,
                           const flow_options& how) -> std::string {
    try {
      flow<double>(onehop::cartesian(job, lattice), how);
    } catch (const onehop::usage_error& refused) {
      return refused.what();
    }
    return "accepted";
  };
  BOOST_TEST(message({4, 4, 4}, {}) == "accepted");
  BOOST_TEST(message({4, 4}, {}).find("three dimensions") != std::string::npos);
  BOOST_TEST(message({4, 4, 4}, {.tau = 0.5}).find("above 0.5") != std::string::npos);
  BOOST_TEST(message({4, 4, 4}, {.magic = 0.0}).find("magic") != std::string::npos);
}
