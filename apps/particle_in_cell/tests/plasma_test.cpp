#include <particle_in_cell/simulation.hpp>

#include <onehop/adversary.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <mutex>

using namespace particle_in_cell;

namespace {

/// Electrons as fast as this cross to other cells, edges and corners all the time.
setup_options hot(int order, int particles = 3) {
  return {.kind = setup_kind::thermal,
          .cell = 0.3,
          .speed = 1,
          .particles = particles,
          .order = order,
          .seed = 5};
}

struct run_setup {
  std::vector<int> lattice, grid;
  int order = 2;
  pusher how = pusher::boris;
  int lanes = 0;  ///< lanes of the kernels; 0 for the widest
  int steps = 8;
  int particles = 3;  ///< number in a cell
};

/// A history has E and B by global coordinate, and the particles by id.
struct history {
  std::map<onehop::coordinate, std::array<double, 6>> fields;
  std::map<std::uint64_t, std::array<double, 9>> particles;

  bool operator==(const history&) const = default;
};

plasma make(const onehop::context& job, const run_setup& of) {
  const onehop::cartesian ranks(job, of.lattice, {.grid = of.grid});
  return {ranks,
          setup(hot(of.order, of.particles), ranks.extents(), ranks.dimensions()),
          {.how = of.how}};
}

void play(const onehop::context& job, const run_setup& of, history& found, std::mutex& lock) {
  plasma electrons = make(job, of);
  for (const auto& kernels : usable_kernels())
    if (kernels.lanes == of.lanes) electrons.use(kernels);
  for (int step = 0; step < of.steps; ++step) electrons.step();
  const std::lock_guard held(lock);
  const auto& origin = electrons.ranks().origin();
  const auto& local = electrons.ranks().local();
  for (int z = 0; z < local[2]; ++z)
    for (int y = 0; y < local[1]; ++y)
      for (int x = 0; x < local[0]; ++x) {
        const auto e = electrons.grid().electric({x, y, z, 0}),
                   b = electrons.grid().magnetic({x, y, z, 0});
        found.fields[{origin[0] + x, origin[1] + y, origin[2] + z, 0}] = {e[0], e[1], e[2],
                                                                          b[0], b[1], b[2]};
      }
  for (const traveller& each : electrons.all_particles()) {
    std::array<double, 9> numbers;
    for (std::size_t mu = 0; mu < 3; ++mu) {
      numbers[mu] = origin[mu] + each.cell[mu];
      numbers[3 + mu] = each.what.offset[mu];
      numbers[6 + mu] = each.what.u[mu];
    }
    BOOST_TEST(found.particles.emplace(each.what.id, numbers).second, "twice " << each.what.id);
  }
}

history history_of(const run_setup& of) {
  history found;
  std::mutex lock;
  int ranks = 1;
  for (const int each : of.grid) ranks *= each;
  onehop::run_on_threads(ranks, [&](onehop::context job) { play(job, of, found, lock); });
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(fields_and_particles_are_the_same_bits_on_any_grid) {
  for (const int order : {1, 2}) {
    const history flat = history_of({{7, 6}, {1, 1}, order});
    for (const std::vector<int>& grid : {std::vector{2, 1}, {1, 2}, {3, 1}, {2, 2}})
      BOOST_TEST((history_of({{7, 6}, grid, order}) == flat), grid[0] << 'x' << grid[1]);
    const history deep = history_of({{5, 4, 6}, {1, 1, 1}, order});
    for (const std::vector<int>& grid : {std::vector{2, 1, 1}, {1, 2, 1}, {1, 1, 3}, {2, 1, 2}})
      BOOST_TEST((history_of({{5, 4, 6}, grid, order}) == deep), grid[0] << 'x' << grid[1]);
  }
}

/// Here cells have several bunches, and particles leave from the middle of bunches.
BOOST_AUTO_TEST_CASE(crowded_cells_keep_every_particle) {
  const std::vector<int> lattice{4, 4, 4};
  const run_setup of{.lattice = lattice, .grid = {1, 1, 1}, .particles = 20};
  const history expected = history_of(of);
  BOOST_TEST(expected.particles.size() == 4 * 4 * 4 * 20u);
  run_setup divided = of;
  divided.grid = {2, 1, 2};
  BOOST_TEST((history_of(divided) == expected));
}

BOOST_AUTO_TEST_CASE(fields_and_particles_are_the_same_bits_with_any_kernels) {
  for (const pusher how : {pusher::boris, pusher::higuera_cary}) {
    const history expected = history_of({{6, 4, 3}, {1, 1, 1}, 2, how});
    for (const auto& kernels : usable_kernels())
      BOOST_TEST((history_of({{6, 4, 3}, {1, 1, 1}, 2, how, kernels.lanes}) == expected));
  }
}

BOOST_AUTO_TEST_CASE(no_particle_is_lost_under_the_adversary) {
  const run_setup of{{5, 4, 4}, {2, 2, 1}};
  const history expected = history_of({of.lattice, {1, 1, 1}});
  BOOST_TEST(expected.particles.size() == 5 * 4 * 4 * 3u);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    history found;
    std::mutex lock;
    onehop::run_with_adversary(4, seed, [&](onehop::context job) { play(job, of, found, lock); });
    BOOST_TEST((found == expected), "seed " << seed);
  }
}

/// With Esirkepov's currents the divergence of E changes like the charge, in every step.
BOOST_AUTO_TEST_CASE(gauss_laws_hold_to_rounding_in_every_step) {
  for (const int order : {1, 2})
    for (const std::vector<int>& lattice : {std::vector{6, 5}, {4, 3, 5}}) {
      const auto job = onehop::join("self");
      plasma electrons = make(job, {lattice, std::vector<int>(lattice.size(), 1), order});
      for (int step = 1; step <= 50; ++step) {
        electrons.step();
        const auto far = electrons.residuals();
        BOOST_TEST(far.electric < 1e-14 * (step + 1), "order " << order << " step " << step);
        BOOST_TEST(far.magnetic < 1e-14 * (step + 1), "order " << order << " step " << step);
      }
    }
}

/// Curls add up to zero over a periodic lattice, so that the mean of E changes by the mean current,
/// which is the sum of charge times displacement of each particle.
BOOST_AUTO_TEST_CASE(mean_field_changes_by_the_way_of_all_particles) {
  for (const int order : {1, 2})
    for (const std::vector<int>& lattice : {std::vector{6, 5}, {4, 3, 5}}) {
      const auto job = onehop::join("self");
      const onehop::cartesian ranks(job, lattice);
      // An odd number leaves one momentum of each cell without an opposite one.
      plasma electrons(ranks, setup(hot(order), ranks.extents(), ranks.dimensions()), {});
      electrons.step();
      std::array<double, 3> field{}, way{};
      const auto& local = ranks.local();
      for (int z = 0; z < local[2]; ++z)
        for (int y = 0; y < local[1]; ++y)
          for (int x = 0; x < local[0]; ++x) {
            const auto e = electrons.grid().electric({x, y, z, 0});
            for (std::size_t mu = 0; mu < 3; ++mu) field[mu] += e[mu];
          }
      for (const traveller& each : electrons.all_particles()) {
        const auto& u = each.what.u;
        const double gamma = std::sqrt(1 + u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        for (std::size_t mu = 0; mu < 3; ++mu) way[mu] += electrons.dt() * u[mu] / gamma;
      }
      for (std::size_t mu = 0; mu < 3; ++mu) {
        const double expected = -electrons.particle_charge() * way[mu];
        BOOST_TEST(std::abs(expected) > 1e-3);
        BOOST_TEST(std::abs(field[mu] / expected - 1) < 1e-12, "order " << order << " in " << mu);
      }
    }
}

/// Cells have a Debye length here. Each momentum occurs as often as its opposite, so that all add
/// up to zero at first.
BOOST_AUTO_TEST_CASE(a_hot_plasma_keeps_energy_and_momentum_for_a_thousand_steps) {
  for (const int order : {1, 2}) {
    setup_options what = hot(order, 16);
    what.cell = what.speed = 0.05;
    simulation of(onehop::join("self"), {16, 16}, {}, what, {});
    const auto energy = [](const plasma_sums& sums) {
      return sums.electric_energy + sums.magnetic_energy + sums.kinetic_energy;
    };
    const double before = energy(of.sums());
    of.advance(1000);
    const plasma_sums after = of.sums();
    BOOST_TEST(std::abs(energy(after) / before - 1) < 0.01, "order " << order);
    // Independent momenta would add up to this.
    const double mass = std::abs(of.state().particle_charge()),
                 many = mass * what.speed * std::sqrt(after.particles);
    for (const double each : after.momentum)
      BOOST_TEST(std::abs(each) < 0.1 * many, "order " << order << ": " << each / many);
  }
}

BOOST_AUTO_TEST_CASE(more_particles_than_a_put_has_room_for_end_the_run) {
  // Boost.Test runs in one thread, so that ranks only return their results.
  std::atomic<int> arrived = 0;
  const auto cross = [&](int count) {
    onehop::run_on_threads(2, [&](onehop::context job) {
      migration across(onehop::cartesian(job, {8, 4}, {.grid = {2, 1}}), {3, 3, 3});
      std::vector<traveller> leaving(static_cast<std::size_t>(count), {{}, {4, 1, 0}});
      across.exchange(leaving);
      for (const traveller& each : leaving) arrived += each.cell[0] == 0 ? 1 : 1000;
    });
  };
  cross(3);
  BOOST_TEST(arrived == 2 * 3);
  BOOST_CHECK_THROW(cross(4), onehop::resource_error);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused_with_the_values) {
  const auto job = onehop::join("self");
  const auto message = [&](const std::vector<int>& lattice, const setup_options& what) {
    try {
      const onehop::cartesian ranks(job, lattice);
      plasma(ranks, setup(what, ranks.extents(), ranks.dimensions()), {});
    } catch (const onehop::usage_error& refused) {
      return std::string(refused.what());
    }
    return std::string("accepted");
  };
  BOOST_TEST(message({4, 4, 4}, hot(2)) == "accepted");
  BOOST_TEST(message({4}, hot(2)).find("two or three dimensions") != std::string::npos);
  BOOST_TEST(message({4, 1}, hot(2)).find("two or more") != std::string::npos);
  BOOST_TEST(message({4, 4}, hot(3)).find("1 or 2") != std::string::npos);
  BOOST_TEST(message({2, 2}, hot(1, 4096)) == "accepted");
  BOOST_TEST(message({2, 2}, hot(1, 4097)).find("at most 4096") != std::string::npos);
  setup_options flat = hot(1);
  flat.cell = -1;
  BOOST_TEST(message({4, 4}, flat).find("must be above 0") != std::string::npos);
  BOOST_CHECK_THROW(setup_named("wake"), onehop::usage_error);
}
