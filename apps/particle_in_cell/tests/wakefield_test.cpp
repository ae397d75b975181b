#include <particle_in_cell/simulation.hpp>

#include <onehop/adversary.hpp>
#include <onehop/error.hpp>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <mutex>

using namespace particle_in_cell;

namespace {

/// The pulse is as short as the lattice requires, and strong enough to move electrons from cell to
/// cell and out of the lattice.
setup_options strong(int order) {
  return {.kind = setup_kind::wakefield,
          .cell = 0.2,
          .particles = 2,
          .order = order,
          .laser = {.a0 = 2, .frequency = 4, .waist = 1, .duration = 0.8}};
}

struct run_setup {
  std::vector<int> lattice, grid;
  int order = 2, steps = 120;
};

/// A history has the fields of each rank's block with its origin, and all particles.
struct history {
  std::vector<std::array<double, 9>> cells;
  std::vector<std::array<double, 7>> particles;
  int moved = 0;

  bool operator==(const history&) const = default;
};

void play(const onehop::context& job, const run_setup& of, history& found, std::mutex& lock) {
  simulation wake(job, of.lattice, of.grid, strong(of.order), {});
  wake.advance(of.steps);
  const std::vector<double> fields = wake.fields(), rows = wake.particles(1e18);
  const std::lock_guard held(lock);
  const auto &origin = wake.state().ranks().origin(), &local = wake.state().ranks().local();
  const std::size_t volume = wake.state().ranks().local_volume();
  for (std::size_t k = 0; k < volume; ++k) {
    const int cell = static_cast<int>(k), x = cell % local[0], y = cell / local[0] % local[1],
              z = cell / local[0] / local[1];
    std::array<double, 9> numbers{};
    numbers[0] = origin[0] + x, numbers[1] = origin[1] + y, numbers[2] = origin[2] + z;
    for (std::size_t c = 0; c < 6; ++c) numbers[3 + c] = fields[c * volume + k];
    found.cells.push_back(numbers);
  }
  for (std::size_t k = 0; k < rows.size(); k += 7) {
    std::array<double, 7> numbers{};
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(k), 7, numbers.begin());
    found.particles.push_back(numbers);
  }
  found.moved = wake.state().window_moved();
}

template <class Run>
history history_of(const run_setup& of, const Run& run) {
  history found;
  std::mutex lock;
  run([&](onehop::context job) { play(job, of, found, lock); });
  std::sort(found.cells.begin(), found.cells.end());
  std::sort(found.particles.begin(), found.particles.end());
  return found;
}

history history_of(const run_setup& of) {
  int ranks = 1;
  for (const int each : of.grid) ranks *= each;
  return history_of(of, [&](const auto& body) { onehop::run_on_threads(ranks, body); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_window_shows_the_same_bits_on_any_grid) {
  for (const int order : {1, 2}) {
    const history expected = history_of({{74, 32}, {1, 1}, order});
    BOOST_TEST(expected.moved > 30);
    BOOST_TEST(expected.particles.size() > 500);
    for (const std::vector<int>& grid : {std::vector{2, 1}, {1, 2}, {4, 1}})
      BOOST_TEST((history_of({{74, 32}, grid, order}) == expected), grid[0] << 'x' << grid[1]);
  }
  const history deep = history_of({{74, 24, 24}, {1, 1, 1}, 1, 105});
  BOOST_TEST((history_of({{74, 24, 24}, {2, 1, 2}, 1, 105}) == deep));
  BOOST_TEST(deep.moved > 5);
}

BOOST_AUTO_TEST_CASE(a_window_shows_the_same_bits_under_the_adversary) {
  const history expected = history_of({{74, 24}, {1, 1}, 2, 110});
  const history found = history_of(
      {{74, 24}, {2, 2}, 2, 110}, [](const auto& body) { onehop::run_with_adversary(4, 7, body); });
  BOOST_TEST((found == expected));
}

/// The laser's field is the largest, and each step rounds it anew.
BOOST_AUTO_TEST_CASE(gauss_laws_hold_and_no_particle_is_lost_while_the_window_moves) {
  const auto job = onehop::join("self");
  for (const int order : {1, 2}) {
    simulation wake(job, {74, 32}, {}, strong(order), {});
    const auto& what = strong(order);
    const double field = what.laser.a0 * what.laser.frequency * what.cell,
                 scale = field / (what.cell * what.cell);
    double removed = 0;
    for (int step = 1; step <= 150; ++step) {
      wake.advance(1);
      const plasma_sums sums = wake.sums();
      BOOST_TEST(sums.gauss.electric < 1e-15 * scale * (step + 1), "step " << step);
      BOOST_TEST(sums.gauss.magnetic < 1e-15 * field * (step + 1), "step " << step);
      BOOST_TEST(sums.made - sums.removed == sums.particles);
      BOOST_TEST(sums.made == 2. * 12 * wake.state().window_moved());
      removed = sums.removed;
    }
    BOOST_TEST(removed > 100);
  }
}

/// When the window begins to move, the middle of the pulse is 47 cells before the focus. There its
/// amplitude is that of a beam in two dimensions.
BOOST_AUTO_TEST_CASE(an_antenna_sends_the_pulse_that_is_asked_for) {
  const auto job = onehop::join("self");
  setup_options what = strong(2);
  what.laser = {.a0 = 0.1, .frequency = 3, .waist = 4, .duration = 1.5};
  simulation wake(job, {120, 128}, {}, what, {});
  const auto& plasma = wake.state();
  const double a0_field = what.laser.a0 * what.laser.frequency * what.cell;
  const double rayleigh = 0.6 * 20 * 20 / 2, wider = std::sqrt(1 + std::pow(47 / rayleigh, 2));
  double most = 0;
  while (plasma.window_moved() == 0) {
    wake.advance(1);
    for (int x = 55; x < 110; ++x)
      most = std::max(most, std::abs(plasma.grid().electric({x, 64, 0, 0})[1]));
  }
  BOOST_TEST(most == a0_field / std::sqrt(wider), boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(a_lattice_in_which_the_pulse_has_no_room_is_refused) {
  const auto job = onehop::join("self");
  BOOST_CHECK_THROW(simulation(job, {71, 32}, {}, strong(2), {}), onehop::usage_error);
  BOOST_CHECK_THROW(simulation(job, {74, 20}, {}, strong(2), {}), onehop::usage_error);
  setup_options shrill = strong(2);
  shrill.laser.frequency = 20;
  BOOST_CHECK_THROW(simulation(job, {74, 32}, {}, shrill, {}), onehop::usage_error);
  BOOST_CHECK_NO_THROW(simulation(job, {72, 32}, {}, strong(2), {}));
}
