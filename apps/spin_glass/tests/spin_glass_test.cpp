#include <spin_glass/replica_overlap.hpp>
#include <spin_glass/sampler.hpp>

#include <onehop/adversary.hpp>
#include <onehop/error.hpp>
#include <onehop/exact_sum.hpp>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <stdexcept>

using namespace spin_glass;

namespace {

using spin = std::array<double, 3>;

onehop::cartesian on(const onehop::context& job, const std::vector<int>& lattice,
                     const std::vector<int>& grid) {
  return {job, lattice, {.grid = grid}};
}

template <class Real>
std::shared_ptr<const couplings<Real>> sample(const onehop::cartesian& ranks, const bond& bonds) {
  return std::make_shared<couplings<Real>>(checkerboard(ranks, sizeof(Real)), bonds);
}
template <class Real>
std::shared_ptr<const couplings<Real>> sample(const onehop::cartesian& ranks,
                                              disorder kind = disorder::gaussian) {
  return sample<Real>(ranks, random_bonds(kind, 11, ranks.extents()));
}

/// Returns a sampler of a lattice on this process alone.
template <class Real>
sampler<Real> alone(const std::vector<int>& lattice, const bond& bonds) {
  return sampler<Real>(sample<Real>(on(onehop::join("self"), lattice, {1, 1, 1}), bonds));
}
template <class Real>
sampler<Real> alone(const std::vector<int>& lattice, disorder kind = disorder::gaussian) {
  return sampler<Real>(sample<Real>(on(onehop::join("self"), lattice, {1, 1, 1}), kind));
}

template <class Real>
void for_block(const sampler<Real>& of, const std::function<void(int, int, int)>& work) {
  const auto& local = of.ranks().local();
  for (int z = 0; z < local[2]; ++z)
    for (int y = 0; y < local[1]; ++y)
      for (int x = 0; x < local[0]; ++x) work(x, y, z);
}

double dot(const spin& a, const spin& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Returns L(a) = coth a - 1 / a, the mean cosine to a field.
double langevin(double a) { return std::abs(a) < 1e-4 ? a / 3 : 1 / std::tanh(a) - 1 / a; }

/// A history has all spins, by global index, the energies during a short run, and at its end the
/// susceptibilities with another replica.
template <class Real>
struct history {
  std::map<std::uint64_t, std::array<Real, 3>> spins;
  std::vector<double> energies;
  bool operator==(const history&) const = default;
};

struct run_setup {
  std::vector<int> lattice, grid;
  int lanes = 0;  ///< lanes of the kernels; 0 for the widest
  overlap how = overlap::bulk;
};

/// Runs a heatbath, two over-relaxations and another heatbath.
template <class Real>
void play(const onehop::context& job, const run_setup& where, history<Real>& found,
          std::mutex& lock) {
  const onehop::cartesian ranks = on(job, where.lattice, where.grid);
  sampler<Real> spins(sample<Real>(ranks), 3, where.how);
  for (const auto& kernels : usable_kernels<Real>())
    if (kernels.lanes == where.lanes) spins.use(kernels);
  spins.set_hot(5);
  std::vector<double> energies{spins.energy()};
  for (std::uint64_t sweep = 0; sweep < 2; ++sweep) {
    spins.heatbath(1.3, 7, sweep);
    energies.push_back(spins.energy());
    spins.overrelax_both(2);
    energies.push_back(spins.energy());
  }
  sampler<Real> other(sample<Real>(ranks), 4, where.how);
  other.set_hot(5);
  const overlap_susceptibility both = susceptibility_of(spins.spins(), other.spins());
  energies.push_back(both.zero);
  energies.push_back(both.smallest);
  const std::lock_guard held(lock);
  for_block(spins, [&](int x, int y, int z) {
    found.spins[spins.block().index(spins.block().global(x, y, z))] = spins.spin(x, y, z);
  });
  if (job.rank() == 0) found.energies = energies;
}

template <class Real>
history<Real> history_of(const run_setup& where) {
  history<Real> found;
  std::mutex lock;
  const int ranks = where.grid[0] * where.grid[1] * where.grid[2];
  onehop::run_on_threads(ranks, [&](onehop::context job) { play(job, where, found, lock); });
  return found;
}

template <class Real>
sampler<Real> small_glass() {
  auto spins = alone<Real>({12, 10, 8});
  spins.set_hot(1);
  return spins;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_bond_has_one_energy_whichever_colour_its_ends_have) {
  auto spins = small_glass<double>();
  const bond bonds = random_bonds(disorder::gaussian, 11, {12, 10, 8, 1});
  onehop::exact_sum expected;
  for_block(spins, [&](int x, int y, int z) {
    const auto at = [&](int a, int b, int c) {
      const auto s = spins.spin((x + a) % 12, (y + b) % 10, (z + c) % 8);
      return spin{s[0], s[1], s[2]};
    };
    const onehop::coordinate site{x, y, z, 0};
    expected.add(-bonds(site, 0) * dot(at(0, 0, 0), at(1, 0, 0)));
    expected.add(-bonds(site, 1) * dot(at(0, 0, 0), at(0, 1, 0)));
    expected.add(-bonds(site, 2) * dot(at(0, 0, 0), at(0, 0, 1)));
  });
  BOOST_TEST(std::abs(spins.energy() - expected.local_total()) < 1e-11);
}

BOOST_AUTO_TEST_CASE(overrelaxation_keeps_the_energy) {
  auto fine = small_glass<double>();
  auto coarse = small_glass<float>();
  const double sites = 12 * 10 * 8, before = fine.energy(), before_coarse = coarse.energy();
  fine.overrelax_both(1000);
  coarse.overrelax_both(1000);
  BOOST_TEST(std::abs(fine.energy() - before) / sites < 1e-12);
  BOOST_TEST(std::abs(coarse.energy() - before_coarse) / sites < 1e-6);
}

BOOST_AUTO_TEST_CASE(overrelaxing_a_colour_twice_gives_its_spins_back) {
  auto spins = small_glass<double>();
  const auto before = [&] {
    std::vector<std::array<double, 3>> all;
    for_block(spins, [&](int x, int y, int z) { all.push_back(spins.spin(x, y, z)); });
    return all;
  };
  const auto first = before();
  spins.overrelax(1);
  const auto turned = before();
  spins.overrelax(1);
  const auto back = before();
  double away = 0, error = 0;
  for (std::size_t k = 0; k < first.size(); ++k)
    for (std::size_t c = 0; c < 3; ++c) {
      away = std::max(away, std::abs(turned[k][c] - first[k][c]));
      error = std::max(error, std::abs(back[k][c] - first[k][c]));
    }
  BOOST_TEST(away > 0.1);
  BOOST_TEST(error < 1e-13);
}

BOOST_AUTO_TEST_CASE(spins_and_energies_are_the_same_bits_on_every_grid) {
  const std::vector<int> lattice{8, 12, 4};
  const auto expected = history_of<float>({lattice, {1, 1, 1}});
  BOOST_TEST(expected.spins.size() == 8u * 12 * 4);
  for (const std::vector<int>& grid : {std::vector{1, 1, 2},
                                       {1, 2, 1},
                                       {2, 1, 1},
                                       {1, 1, 4},
                                       {1, 4, 1},
                                       {4, 1, 1},
                                       {2, 2, 1},
                                       {1, 2, 2},
                                       {2, 1, 2},
                                       {2, 2, 2},
                                       {1, 12, 1}}) {
    for (const overlap how : {overlap::bulk, overlap::none})
      BOOST_TEST((history_of<float>({lattice, grid, 0, how}) == expected),
                 "grid " << grid[0] << 'x' << grid[1] << 'x' << grid[2]);
  }
  BOOST_TEST(
      (history_of<double>({lattice, {1, 2, 2}}) == history_of<double>({lattice, {1, 1, 1}})));
}

BOOST_AUTO_TEST_CASE(spins_and_energies_are_the_same_bits_with_any_number_of_lanes) {
  for (const int extent : {6, 16, 32, 38, 64, 96}) {
    const std::vector<int> lattice{extent, 4, 6};
    const auto single = history_of<float>({lattice, {1, 1, 1}});
    const auto fine = history_of<double>({lattice, {1, 1, 1}});
    // If x is not divided, rows of whole vectors have a kernel of their own.
    if (extent % 4 == 0) {
      BOOST_TEST((history_of<float>({lattice, {2, 1, 1}}) == single), extent);
      BOOST_TEST((history_of<double>({lattice, {2, 1, 1}}) == fine), extent);
    }
    for (const auto& kernels : usable_kernels<float>())
      BOOST_TEST((history_of<float>({lattice, {1, 1, 1}, kernels.lanes}) == single), kernels.isa);
    for (const auto& kernels : usable_kernels<double>())
      BOOST_TEST((history_of<double>({lattice, {1, 1, 1}, kernels.lanes}) == fine), kernels.isa);
  }
}

BOOST_AUTO_TEST_CASE(spins_and_energies_are_the_same_bits_under_the_adversary) {
  const run_setup where{{8, 4, 8}, {2, 1, 2}};
  const auto expected = history_of<float>({{8, 4, 8}, {1, 1, 1}});
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    history<float> found;
    std::mutex lock;
    onehop::run_with_adversary(4, seed,
                               [&](onehop::context job) { play(job, where, found, lock); });
    BOOST_TEST((found == expected), "seed " << seed);
  }
}

// Single spins of colour 0 are in the field of frozen ones of colour 1 that all point along z.
BOOST_AUTO_TEST_CASE(a_spin_in_a_fixed_field_has_the_exact_distribution) {
  for (const double a : {1e-10, 0.3, 2.0, 40.0}) {
    std::vector<double> cosines;
    double turn_sum = 0, turn_square = 0;
    auto spins = alone<double>({16, 16, 16}, disorder::ferromagnet);
    for (std::uint64_t sweep = 0; sweep < 8; ++sweep) {
      spins.set_spins([](const onehop::coordinate&) { return spin{0.6, 0, 0.8}; });
      // Six neighbours of coupling 1 make a field of 6.
      spins.heatbath(a / 6, 21, sweep);
      for_block(spins, [&](int x, int y, int z) {
        if ((x + y + z) % 2 != 0) return;
        const auto s = spins.spin(x, y, z);
        cosines.push_back(0.6 * s[0] + 0.8 * s[2]);
        const double turn = std::atan2(s[1], 0.8 * s[0] - 0.6 * s[2]) / std::numbers::pi;
        turn_sum += turn;
        turn_square += turn * turn;
        if (std::abs(dot({s[0], s[1], s[2]}, {s[0], s[1], s[2]}) - 1) > 1e-14)
          throw std::runtime_error("a spin is not of unit length");
      });
    }
    std::ranges::sort(cosines);
    const auto n = static_cast<double>(cosines.size());
    double mean = 0, square = 0, distance = 0;
    for (std::size_t k = 0; k < cosines.size(); ++k) {
      const double c = cosines[k];
      mean += c / n;
      square += c * c / n;
      // The distribution is P(cos < c) = (e^(a c) - e^(-a)) / (e^a - e^(-a)).
      const double below =
          a < 1e-3 ? (1 + c) / 2
                   : (std::exp(a * (c - 1)) - std::exp(-2 * a)) / (1 - std::exp(-2 * a));
      distance = std::max(
          {distance, below - static_cast<double>(k) / n, static_cast<double>(k + 1) / n - below});
    }
    BOOST_TEST_CONTEXT("a " << a) {
      BOOST_TEST(std::abs(mean - langevin(a)) < 4 * std::sqrt((square - mean * mean) / n));
      // By the test of Kolmogorov and Smirnov, the deviation exceeds this once in ten thousand
      // times.
      BOOST_TEST(distance * std::sqrt(n) < 2.225);
      BOOST_TEST(std::abs(turn_sum / n) < 4 * std::sqrt(1.0 / 3 / n));
      BOOST_TEST(std::abs(turn_square / n - 1.0 / 3) < 4 * std::sqrt(4.0 / 45 / n));
    }
  }
}

BOOST_AUTO_TEST_CASE(overlaps_of_waves_are_those_of_closed_formulas) {
  auto a = alone<double>({8, 12, 16}), b = alone<double>({8, 12, 16});
  const double sites = 8 * 12 * 16;
  a.set_spins([](const onehop::coordinate&) { return spin{0, 0, 1}; });
  const auto same = susceptibility_of(a.spins(), a.spins());
  BOOST_TEST(std::abs(same.zero - sites) < 1e-9);
  BOOST_TEST(std::abs(same.smallest) < 1e-9);
  for (std::size_t mu = 0; mu < 3; ++mu) {
    const std::array extents{8, 12, 16};
    b.set_spins([&](const onehop::coordinate& site) {
      const double angle = 2 * std::numbers::pi * site[mu] / extents[mu];
      return spin{std::sin(angle), 0, std::cos(angle)};
    });
    // q is 1/2 for z with x, and for z with z, for a wave along one of three directions.
    const auto wave = susceptibility_of(a.spins(), b.spins());
    BOOST_TEST(std::abs(wave.zero) < 1e-9);
    BOOST_TEST(std::abs(wave.smallest - sites / 2 / 3) < 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused_with_the_values) {
  const auto job = onehop::join("self");
  const auto message = [&](const std::vector<int>& lattice) -> std::string {
    try {
      checkerboard(onehop::cartesian(job, lattice), 4);
    } catch (const onehop::usage_error& refused) {
      return refused.what();
    }
    return "accepted";
  };
  BOOST_TEST(message({8, 8, 8}) == "accepted");
  BOOST_TEST(message({8, 7, 8}).find("odd extent in y") != std::string::npos);
  BOOST_TEST(message({8, 8}).find("three dimensions") != std::string::npos);
  BOOST_CHECK_THROW(disorder_named("gauss"), onehop::usage_error);
}
