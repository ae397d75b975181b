#include <lattice_boltzmann/each_cell.hpp>
#include <lattice_boltzmann/mixture.hpp>

#include <onehop/exact_sum.hpp>
#include <onehop/random.hpp>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>

using namespace lattice_boltzmann;

namespace {

onehop::cartesian alone(const std::vector<int>& lattice) { return {onehop::join("self"), lattice}; }

/// Returns the sums of density, momentum and order parameter over the lattice, for each cell.
template <class Real>
std::array<double, 5> means(const mixture<Real>& of) {
  std::array<onehop::exact_sum, 5> sums;
  for_cells(of.where(), [&](int x, int y, int z, const onehop::coordinate&) {
    const mixture_cell here = of.at(x, y, z);
    sums[0].add(here.whole.excess);
    for (std::size_t mu = 0; mu < 3; ++mu)
      sums[1 + mu].add((1 + here.whole.excess) * here.whole.velocity[mu]);
    sums[4].add(here.phi);
  });
  std::array<double, 5> found;
  for (std::size_t k = 0; k < 5; ++k)
    found[k] = sums[k].local_total() / static_cast<double>(of.where().cells());
  return found;
}

template <class Real>
void keeps_its_sums(double rounding) {
  mixture<Real> fluids(alone({8, 6, 4}), {.tau = 0.6, .surface_tension = 0.02, .mobility = 0.2});
  fluids.set([](const onehop::coordinate& cell) {
    const auto site = static_cast<std::uint64_t>(cell[0] + 8 * (cell[1] + 6 * cell[2]));
    return 0.3 + onehop::site_random(5, onehop::user_random(0), 0, site).uniform_pair()[0];
  });
  const auto before = means(fluids);
  for (int step = 0; step < 10000; ++step) fluids.step();
  const auto after = means(fluids);
  for (std::size_t k = 0; k < 5; ++k)
    BOOST_TEST(std::abs(after[k] - before[k]) < 10000 * rounding, k << " of " << sizeof(Real));
}

void check_flat_interface(const std::optional<two_densities>& densities) {
  constexpr int extent = 64;
  constexpr double width = 6;
  const double tension = densities ? 1e-3 : 0.01, mobility = densities ? 0.1 : 0.45;
  for (const std::size_t across : {0, 1}) {
    std::vector<int> lattice(3, 1);
    lattice[across] = extent;
    mixture<double> fluids(alone(lattice), {.interface_width = width,
                                            .surface_tension = tension,
                                            .mobility = mobility,
                                            .densities = densities});
    const auto profile = [](double x, double thickness) {
      return std::tanh(2 * (extent / 4.0 - std::abs(x - (extent - 1) / 2.0)) / thickness);
    };
    fluids.set([&](const onehop::coordinate& cell) { return profile(cell[across], 0.8 * width); });
    for (int step = 0; step < 30000; ++step) fluids.step();
    const auto phi = [&](int x) {
      std::array<int, 3> cell{};
      cell[across] = (x + extent) % extent;
      return fluids.at(cell[0], cell[1], cell[2]).phi;
    };
    const double bulk = 0.75 * tension / width, kappa = 0.375 * tension * width;
    double most = 0, energy = 0;
    for (int x = 0; x < extent; ++x) {
      const double here = phi(x), slope = phi(x + 1) - here, well = here * here - 1;
      most = std::max(most, std::abs(here - profile(x, width)));
      energy += bulk * well * well + kappa / 2 * slope * slope;
    }
    BOOST_TEST(most < 0.01);
    BOOST_TEST(std::abs(energy / 2 / tension - 1) < 0.01);
  }
}

/// A slow_column is periodic, as wide as it is long, and bounded above and below by walls that
/// nothing flows through.
struct slow_column {
  double width, height, viscosity;

  /// For a force of 1 on a fluid of viscosity 1, these are the velocity at the force and its second
  /// derivatives along the force, both without the contribution of an isolated force.
  struct answer {
    double velocity, curvature;
  };
  /// Periodic images replace the walls, because a flow without a mean decays within a width.
  /// All results are smeared over `smear`, which changes them by its square.
  answer smeared(double smear) const {
    const double pi = std::numbers::pi, volume = width * width * height;
    const int most = static_cast<int>(6 * height / (2 * pi * smear));
    answer found{-1 / (6 * smear * std::pow(pi, 1.5)),
                 1 / (12 * std::pow(pi, 1.5) * std::pow(smear, 3))};
    for (int i = -most; i <= most; ++i)
      for (int j = -most; j <= most; ++j)
        for (int k = -most; k <= most; ++k) {
          const double x = 2 * pi * i / width, y = 2 * pi * j / width, z = 2 * pi * k / height;
          const double square = x * x + y * y + z * z;
          if (square == 0 || square * smear * smear > 36) continue;
          const double term = std::exp(-square * smear * smear) * (1 - z * z / square) / volume;
          found.velocity += term / square;
          found.curvature -= term;
        }
    return found;
  }
  answer alone() const {
    const double coarse = 0.1 * width, fine = 0.08 * width;
    const answer a = smeared(coarse), b = smeared(fine);
    const double share = fine * fine / (coarse * coarse - fine * fine);
    return {b.velocity + share * (b.velocity - a.velocity),
            b.curvature + share * (b.curvature - a.curvature)};
  }
  /// Returns the velocity of a fluid sphere whose viscosity is `ratio` times that of its
  /// surroundings (Hadamard and Rybczynski), with its images up to (radius / width)^3 (Faxen).
  double rise(double radius, double ratio, double force) const {
    const double faxen = ratio * radius * radius / (2 + 3 * ratio);
    const answer images = alone();
    const double self = (1 + ratio) / (2 + 3 * ratio) / (2 * std::numbers::pi * radius);
    return force / viscosity * (self + images.velocity + faxen * images.curvature);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(mass_momentum_and_order_parameter_are_kept_for_ten_thousand_steps) {
  keeps_its_sums<double>(0x1p-53);
  keeps_its_sums<float>(0x1p-24);
}

/// Two interfaces that begin a fifth too thin become tanh(2 x / W), whose free energy per area is
/// sigma. The interfaces of a phase field with densities 1000 to 1 do so too, by another equation.
BOOST_AUTO_TEST_CASE(a_flat_interface_has_its_profile_and_tension) {
  check_flat_interface({});
  check_flat_interface(two_densities{.light = 1e-3});
}

/// A droplet of 1000 times the density sends out sound as it comes to rest. The sound must not
/// change how much of the heavy fluid is in the light one, because that would change the density of
/// the light fluid.
BOOST_AUTO_TEST_CASE(sound_leaves_the_light_fluid_as_light_as_it_is) {
  mixture<double> fluids(
      alone({32, 32, 32}),
      {.tau = 0.8, .surface_tension = 2e-3, .mobility = 0.05, .densities = two_densities{}});
  fluids.set([](const onehop::coordinate& cell) {
    const double distance = std::hypot(cell[0] - 15.5, cell[1] - 15.5, cell[2] - 15.5);
    return std::tanh((10 - distance) / 2);
  });
  for (int step = 0; step < 60; ++step) fluids.step();
  double least = 0, fastest = 0;
  for_cells(fluids.where(), [&](int x, int y, int z, const onehop::coordinate&) {
    const mixture_cell here = fluids.at(x, y, z);
    const auto& u = here.whole.velocity;
    least = std::min(least, here.phi + 1);
    fastest = std::max(fastest, std::hypot(u[0], u[1], u[2]));
  });
  BOOST_TEST(fastest < 0.01);
  // The light fluid has a density of 1e-3, which a 1 + phi of 2e-3 would double.
  BOOST_TEST(least > -1e-4);
}

/// With a tenth of the viscosity of its surroundings, a bubble rises twice as fast as a solid
/// sphere would, and 1.4 times as fast as a bubble of the same viscosity.
BOOST_AUTO_TEST_CASE(a_slow_bubble_rises_as_hadamard_and_rybczynski_say) {
  constexpr int width = 32, height = 64;
  constexpr double radius = 8, tension = 1e-3, gravity = 1e-6, light = 0.5, tau = 0.8;
  const slow_column column{width, height, (tau - 0.5) / 3};
  const double kinematic = 0.1 * column.viscosity / light;
  mixture<double> fluids(
      {onehop::join("self"), {width, width, height}, {.periodic = {true, true, false}}},
      {.tau = tau,
       .magic = 0.25,
       .interface_width = 3,
       .surface_tension = tension,
       .mobility = 0.3,
       .densities =
           two_densities{.light = light, .gravity = gravity, .light_tau = 3 * kinematic + 0.5}});
  const auto above_middle = [](const onehop::coordinate& cell) {
    return cell[2] - (height - 1) / 2.0;
  };
  fluids.set(
      [&](const onehop::coordinate& cell) {
        const double middle = (width - 1) / 2.0;
        return std::tanh(
            2 * (std::hypot(cell[0] - middle, cell[1] - middle, above_middle(cell)) - radius) / 3);
      },
      [&](const onehop::coordinate& cell) {
        return -gravity * above_middle(cell) - 2 * tension / radius;
      });
  double volume = 0, velocity = 0;
  for (int step = 1; step <= 2000; ++step) {
    fluids.step();
    if (step < 1000 || step % 100 != 0) continue;
    for_cells(fluids.where(), [&](int x, int y, int z, const onehop::coordinate&) {
      const mixture_cell here = fluids.at(x, y, z);
      volume += (1 - here.phi) / 2 / 11;
      velocity += (1 - here.phi) / 2 / 11 * here.whole.velocity[2];
    });
  }
  const double found = std::cbrt(volume * 0.75 / std::numbers::pi);
  const double expected = column.rise(found, 0.1, gravity * (1 - light) * volume);
  BOOST_TEST(expected * 2 * found / column.viscosity < 0.1);  // Reynolds number
  BOOST_TEST(std::abs(velocity / volume / expected - 1) < 0.05, velocity / volume / expected);
  BOOST_TEST(column.rise(found, 1, gravity * (1 - light) * volume) < 0.75 * expected);
}
