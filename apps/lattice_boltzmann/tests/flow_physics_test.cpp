#include <lattice_boltzmann/flow.hpp>

#include <onehop/exact_sum.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <numbers>

using namespace lattice_boltzmann;

namespace {

onehop::cartesian alone(const std::vector<int>& lattice,
                        const std::vector<bool>& periodic = {true, true, true}) {
  return {onehop::join("self"), lattice, {.periodic = periodic}};
}

template <class Real>
void for_cells(const flow<Real>& of, const std::function<void(int, int, int, const fluid&)>& work) {
  for (int z = 0; z < of.where().extent(2); ++z)
    for (int y = 0; y < of.where().extent(1); ++y)
      for (int x = 0; x < of.where().extent(0); ++x) work(x, y, z, of.at(x, y, z));
}

/// These vortices are in the plane of dimensions a and b, in a lattice of `extent` cells in each of
/// them.
struct vortices {
  int extent;
  std::size_t a, b;
  double speed;

  std::array<double, 3> shape(const onehop::coordinate& cell) const {
    const double k = 2 * std::numbers::pi / extent;
    std::array<double, 3> u{};
    u[a] = -std::cos(k * cell[a]) * std::sin(k * cell[b]);
    u[b] = std::sin(k * cell[a]) * std::cos(k * cell[b]);
    return u;
  }
  fluid operator()(const onehop::coordinate& cell) const {
    const double k = 4 * std::numbers::pi / extent;
    fluid here{-0.75 * speed * speed * (std::cos(k * cell[a]) + std::cos(k * cell[b])),
               shape(cell)};
    for (double& component : here.velocity) component *= speed;
    return here;
  }
  double amplitude(const flow<double>& of) const {
    double along = 0, square = 0;
    for_cells(of, [&](int x, int y, int z, const fluid& here) {
      const auto u = shape({x, y, z, 0});
      for (std::size_t mu = 0; mu < 3; ++mu) {
        along += u[mu] * here.velocity[mu];
        square += u[mu] * u[mu];
      }
    });
    return along / square;
  }
  /// Returns the viscosity with which they decay, divided by that of the relaxation time.
  double viscosity(const flow_options& how) const {
    std::vector<int> lattice(3, 1);
    lattice[a] = lattice[b] = extent;
    flow<double> fluids(alone(lattice), how);
    fluids.set(*this);
    const int steps = extent * extent / 8;
    for (int step = 0; step < steps; ++step) fluids.step();
    const double before = amplitude(fluids);
    for (int step = 0; step < steps; ++step) fluids.step();
    const double rate = std::log(before / amplitude(fluids)) / steps;
    const double k = 2 * std::numbers::pi / extent;
    return rate / (2 * k * k) / ((how.tau - 0.5) / 3);
  }
};

/// Returns the difference of the steady flow in the channel from F / (2 nu) (H^2/4 - y^2 + slip),
/// divided by its largest velocity; walls are across dimension `across`.
double channel_error(std::size_t across, int height, const flow_options& how, double slip) {
  std::vector<int> lattice(3, 2);
  lattice[across] = height;
  std::vector<bool> periodic(3, true);
  periodic[across] = false;
  flow<double> fluids(alone(lattice, periodic), how);
  fluids.set([](const onehop::coordinate&) { return fluid{}; });
  const double viscosity = (how.tau - 0.5) / 3;
  const double pi = std::numbers::pi;
  const int steps = static_cast<int>(32 * height * height / (pi * pi * viscosity));
  for (int step = 0; step < steps; ++step) fluids.step();
  const std::size_t flows = (across + 1) % 3;
  const double force = how.force[flows];
  double most = 0;
  for_cells(fluids, [&](int x, int y, int z, const fluid& here) {
    const double from_middle = std::array{x, y, z}[across] + 0.5 - height / 2.0;
    const double expected =
        force / (2 * viscosity) * (height * height / 4.0 - from_middle * from_middle + slip);
    const double error = std::abs(here.velocity[flows] - expected);
    most = std::isfinite(error) ? std::max(most, error) : std::numeric_limits<double>::infinity();
  });
  return most / (force * height * height / (8 * viscosity));
}

flow_options forced(std::size_t direction, double tau, double magic, int height) {
  flow_options how{.tau = tau, .magic = magic};
  how.force[direction] = 8 * (tau - 0.5) / 3 * 0.02 / (height * height);
  return how;
}

}  // namespace

BOOST_AUTO_TEST_CASE(mass_and_momentum_are_kept_for_ten_thousand_steps) {
  for (const std::optional<double> magic : {std::optional<double>(), std::optional(0.25)}) {
    flow<double> fine(alone({8, 6, 4}), {.tau = 0.6, .magic = magic});
    flow<float> coarse(alone({8, 6, 4}), {.tau = 0.6, .magic = magic});
    const auto waves = [](const onehop::coordinate& cell) {
      return fluid{0.01 * std::sin(cell[0] + 2 * cell[1]),
                   {0.05 + 0.02 * std::cos(cell[1] - cell[2]), 0.03 * std::sin(cell[2]), -0.04}};
    };
    const auto totals = [](const auto& of) {
      std::array<onehop::exact_sum, 4> sums;
      for_cells(of, [&](int, int, int, const fluid& here) {
        sums[0].add(here.excess);
        for (std::size_t mu = 0; mu < 3; ++mu)
          sums[1 + mu].add((1 + here.excess) * here.velocity[mu]);
      });
      std::array<double, 4> found;
      for (std::size_t k = 0; k < 4; ++k) found[k] = sums[k].local_total() / (8 * 6 * 4);
      return found;
    };
    fine.set(waves);
    coarse.set(waves);
    const auto before = totals(fine), before_coarse = totals(coarse);
    for (int step = 0; step < 10000; ++step) {
      fine.step();
      coarse.step();
    }
    const auto after = totals(fine), after_coarse = totals(coarse);
    for (std::size_t k = 0; k < 4; ++k) {
      // A step rounds numbers that are as large as the velocity.
      const double scale = 10000 * 0.1;
      BOOST_TEST(std::abs(after[k] - before[k]) < scale * 0x1p-53);
      BOOST_TEST(std::abs(after_coarse[k] - before_coarse[k]) < scale * 0x1p-24);
    }
  }
}

BOOST_AUTO_TEST_CASE(vortices_decay_by_the_viscosity_to_second_order) {
  for (const auto& [a, b] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{2, 0}}) {
    for (const std::optional<double> magic : {std::optional<double>(), std::optional(3.0 / 16)}) {
      const auto error = [&](int extent) {
        const vortices of{extent, static_cast<std::size_t>(a), static_cast<std::size_t>(b),
                          0.4 / extent};
        return of.viscosity({.tau = 0.8, .magic = magic}) - 1;
      };
      const double coarse = error(32), fine = error(64);
      BOOST_TEST(std::abs(fine) < 0.005);
      BOOST_TEST(std::abs(coarse / fine - 4) < 0.2);
    }
  }
}

BOOST_AUTO_TEST_CASE(channel_flow_is_exact_for_the_magic_three_sixteenths) {
  for (std::size_t across = 0; across < 3; ++across) {
    for (const double tau : {0.6, 1.0, 1.7}) {
      const auto how = forced((across + 1) % 3, tau, 3.0 / 16, 8);
      BOOST_TEST(channel_error(across, 8, how, 0) < 1e-12, "tau " << tau);
    }
  }
}

/// This is the slip at half-way walls (Ginzburg and d'Humieres, Phys. Rev. E 68 (2003) 066614).
BOOST_AUTO_TEST_CASE(channel_flow_slips_by_the_magic_parameter_alone) {
  for (const double magic : {1.0 / 12, 0.25, 1.0}) {
    const double slip = (16 * magic - 3) / 12;
    for (const double tau : {0.8, 1.2}) {
      const auto how = forced(0, tau, magic, 9);
      BOOST_TEST(channel_error(2, 9, how, slip) < 1e-12, magic << " tau " << tau);
    }
  }
}
