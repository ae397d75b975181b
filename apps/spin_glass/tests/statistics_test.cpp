// Averages are compared with closed formulas. Seeds are fixed, so that every run is the same;
// limits are four standard errors, estimated from blocks of successive sweeps.
#include <spin_glass/replica_overlap.hpp>
#include <spin_glass/sampler.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <memory>

using namespace spin_glass;

namespace {

using spin = std::array<double, 3>;

double langevin(double a) { return std::abs(a) < 1e-4 ? a / 3 : 1 / std::tanh(a) - 1 / a; }

struct estimate {
  double mean, error;
};

estimate estimate_of(const std::vector<double>& values) {
  constexpr std::size_t blocks = 25;
  const std::size_t length = values.size() / blocks;
  double mean = 0, square = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    double sum = 0;
    for (std::size_t k = 0; k < length; ++k) sum += values[b * length + k];
    mean += sum / static_cast<double>(length * blocks);
    square += std::pow(sum / static_cast<double>(length), 2) / blocks;
  }
  return {mean, std::sqrt((square - mean * mean) / (blocks - 1))};
}

void check_near(const estimate& found, double expected) {
  BOOST_TEST(std::abs(found.mean - expected) < 4 * found.error,
             found.mean << " +- " << found.error << ", expected " << expected);
}

sampler<double> glass(const onehop::coordinate& lattice, const bond& bonds) {
  const onehop::cartesian ranks(onehop::join("self"), {lattice[0], lattice[1], lattice[2]});
  sampler<double> made(
      std::make_shared<couplings<double>>(checkerboard(ranks, sizeof(double)), bonds));
  made.set_hot(17);
  return made;
}

struct course {
  double beta;
  int sweeps, overrelaxations = 2, thermalise = 100;
  std::uint64_t seed = 23;
};

/// Calls `measure` after each sweep that counts.
void play(sampler<double>& spins, const course& how, const std::function<void()>& measure) {
  for (int sweep = 0; sweep < how.sweeps + how.thermalise; ++sweep) {
    spins.heatbath(how.beta, how.seed, static_cast<std::uint64_t>(sweep));
    spins.overrelax_both(how.overrelaxations);
    if (sweep >= how.thermalise) measure();
  }
}

estimate energy_per_spin(sampler<double>& spins, const course& how) {
  std::vector<double> found;
  const auto sites = static_cast<double>(onehop::volume(spins.ranks().extents()));
  play(spins, how, [&] { found.push_back(spins.energy() / sites); });
  return estimate_of(found);
}

/// Returns the couplings of identical chains along x: strength[x] from x to x + 1.
bond chains(const std::vector<double>& strength) {
  return [strength](const onehop::coordinate& site, int direction) {
    return direction == 0 ? strength[static_cast<std::size_t>(site[0])] : 0.0;
  };
}

double cosine(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Returns ln of the sum over l of (2l+1) prod_k i_l(beta J_k) / i_0(beta J_k), i_l being the
/// modified spherical Bessel functions.
double log_of_loop(double beta, const std::vector<double>& strength) {
  double sum = 0;
  for (int l = 0; l < 40; ++l) {
    double product = 2 * l + 1;
    for (const double j : strength) {
      const double x = std::abs(beta * j);
      product *= std::cyl_bessel_i(l + 0.5, x) / std::cyl_bessel_i(0.5, x);
      if (j < 0 && l % 2 == 1) product = -product;
    }
    sum += product;
  }
  return std::log(sum);
}

/// Returns <m^4> / <m^2>^2 of a ferromagnet: 5/3 without order, 1 with.
double binder_ratio(int extent, double beta) {
  auto spins = glass({extent, extent, extent, 1}, random_bonds(disorder::ferromagnet, 1, {}));
  double second = 0, fourth = 0;
  play(spins, {.beta = beta, .sweeps = 1500}, [&] {
    spin m{};
    for (int z = 0; z < extent; ++z)
      for (int y = 0; y < extent; ++y)
        for (int x = 0; x < extent; ++x)
          for (std::size_t k = 0; k < 3; ++k) m[k] += spins.spin(x, y, z)[k];
    const double square = cosine(m, m);
    second += square / 1500;
    fourth += square * square / 1500;
  });
  return fourth / (second * second);
}

}  // namespace

BOOST_AUTO_TEST_CASE(bonds_of_an_open_chain_have_their_own_langevin_functions) {
  const std::vector<double> strength{0.4, -1.1, 2.0, 0.0, -0.3, 1.5, 0.9, 0.0};
  const double beta = 1.4;
  auto spins = glass({8, 6, 6, 1}, chains(strength));
  std::vector<std::vector<double>> found(8);
  play(spins, {.beta = beta, .sweeps = 1000}, [&] {
    for (int x = 0; x < 8; ++x) {
      double sum = 0;
      for (int z = 0; z < 6; ++z)
        for (int y = 0; y < 6; ++y)
          sum += cosine(spins.spin(x, y, z), spins.spin((x + 1) % 8, y, z)) / 36;
      found[static_cast<std::size_t>(x)].push_back(sum);
    }
  });
  for (std::size_t x = 0; x < 8; ++x) BOOST_TEST_CONTEXT("bond " << x)
  check_near(estimate_of(found[x]), langevin(beta * strength[x]));
}

BOOST_AUTO_TEST_CASE(a_ring_of_four_has_its_exact_energy) {
  const std::vector<double> strength{1.2, -0.8, 1.5, 0.7};
  const double beta = 1.6, step = 1e-4;
  double expected =
      -(log_of_loop(beta + step, strength) - log_of_loop(beta - step, strength)) / (2 * step);
  const double alone = [&] {
    double sum = 0;
    for (const double j : strength) sum -= j * langevin(beta * j);
    return sum;
  }();
  expected = (expected + alone) / 4;
  auto spins = glass({4, 8, 8, 1}, chains(strength));
  const estimate found = energy_per_spin(spins, {.beta = beta, .sweeps = 2000});
  check_near(found, expected);
  // The correlation between the bonds matters: four isolated bonds would give another value.
  BOOST_TEST(std::abs(expected - alone / 4) > 8 * found.error);
}

BOOST_AUTO_TEST_CASE(a_hot_glass_has_the_energy_of_its_bonds_alone) {
  const onehop::coordinate lattice{16, 16, 16, 1};
  const bond bonds = random_bonds(disorder::gaussian, 3, lattice);
  for (const double beta : {0.3, 0.5}) {
    double expected = 0;
    for (int z = 0; z < 16; ++z)
      for (int y = 0; y < 16; ++y)
        for (int x = 0; x < 16; ++x)
          for (int direction = 0; direction < 3; ++direction) {
            const double j = bonds({x, y, z, 0}, direction);
            expected -= j * langevin(beta * j) / 4096;
          }
    auto spins = glass(lattice, bonds);
    const estimate found = energy_per_spin(spins, {.beta = beta, .sweeps = 500});
    BOOST_TEST(found.error < 2e-3);
    check_near(found, expected);
  }
}

BOOST_AUTO_TEST_CASE(replicas_at_infinite_temperature_know_nothing_of_each_other) {
  auto a = glass({8, 8, 8, 1}, random_bonds(disorder::gaussian, 3, {8, 8, 8, 1}));
  auto b = glass({8, 8, 8, 1}, random_bonds(disorder::gaussian, 3, {8, 8, 8, 1}));
  std::vector<double> zero, smallest;
  play(a, {.beta = 0, .sweeps = 400, .overrelaxations = 0, .thermalise = 0}, [&] {
    b.heatbath(0, 31, zero.size());
    const auto found = susceptibility_of(a.spins(), b.spins());
    zero.push_back(found.zero);
    smallest.push_back(found.smallest);
  });
  check_near(estimate_of(zero), 1);
  check_near(estimate_of(smallest), 1);
}

BOOST_AUTO_TEST_CASE(overrelaxation_changes_no_average) {
  const onehop::coordinate lattice{8, 8, 8, 1};
  const bond bonds = random_bonds(disorder::plus_minus, 5, lattice);
  auto mixed = glass(lattice, bonds), pure = glass(lattice, bonds);
  const estimate with = energy_per_spin(mixed, {.beta = 1.5, .sweeps = 1000, .overrelaxations = 5});
  const estimate without = energy_per_spin(
      pure, {.beta = 1.5, .sweeps = 2000, .overrelaxations = 0, .thermalise = 300, .seed = 29});
  BOOST_TEST(
      std::abs(with.mean - without.mean) < 4 * std::hypot(with.error, without.error),
      with.mean << " +- " << with.error << " and " << without.mean << " +- " << without.error);
}

// The ratios of two sizes cross at the transition, which is at 0.693 in the literature.
BOOST_AUTO_TEST_CASE(a_ferromagnet_orders_between_0_6_and_0_8) {
  BOOST_TEST(binder_ratio(6, 0.6) < binder_ratio(12, 0.6));
  BOOST_TEST(binder_ratio(6, 0.8) > binder_ratio(12, 0.8));
}
