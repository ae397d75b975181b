#include <particle_in_cell/cell_kernels.hpp>
#include <particle_in_cell/shape.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>

using namespace particle_in_cell;

namespace {

/// One particle with charge to mass -1 is in one cell of a uniform field; its currents are not
/// examined.
class one_particle {
 public:
  one_particle(const std::array<double, 3>& e, const std::array<double, 3>& b, double dt)
      : dt_(dt), currents_(points, 0) {
    for (std::size_t mu = 0; mu < 3; ++mu) {
      fields_[mu].assign(points, e[mu]);
      fields_[3 + mu].assign(points, b[mu]);
    }
  }

  void step(const cell_kernels& kernels, int order, pusher how) {
    job_.particles = {{&offset_[0], &offset_[1], &offset_[2]}, {&u[0], &u[1], &u[2]}};
    row_job job = with_grid();
    const auto before = offset_;
    kernels.push(job, 3, order, how);
    const auto cells = step_of_code(to_);
    for (std::size_t mu = 0; mu < 3; ++mu) {
      at[mu] += cells[mu] + (offset_[mu] - before[mu]);
      const double least = order == 1 ? shape<1>::least : shape<2>::least;
      BOOST_TEST((offset_[mu] >= least && offset_[mu] <= least + 1));
    }
  }
  double energy(const cell_kernels& kernels) {
    job_.particles = {{&offset_[0], &offset_[1], &offset_[2]}, {&u[0], &u[1], &u[2]}};
    double found = 0;
    kernels.measure(with_grid(), 3, 2, &found);
    return found;
  }
  double gamma() const { return std::sqrt(1 + u[0] * u[0] + u[1] * u[1] + u[2] * u[2]); }

  std::array<double, 3> u{}, at{};

 private:
  static constexpr std::ptrdiff_t extent = 7, middle = 3;
  static constexpr std::size_t points = extent * extent * extent;

  row_job with_grid() {
    row_job job = job_;
    constexpr std::ptrdiff_t cell = middle * (1 + extent + extent * extent);
    for (std::size_t k = 0; k < 6; ++k) job.fields[k] = fields_[k].data() + cell;
    for (std::size_t mu = 0; mu < 3; ++mu) job.currents[mu] = currents_.data() + cell;
    job.stride_y = extent;
    job.stride_z = extent * extent;
    job.first = first_.data();
    job.cells = 1;
    job.dt = dt_;
    job.half_kick = -dt_ / 2;
    job.charge = 0;
    job.to = &to_;
    return job;
  }

  double dt_;
  std::array<double, 3> offset_{0.1, 0.2, 0.3};
  std::array<std::size_t, 2> first_{0, 1};
  std::uint8_t to_ = code_of_staying;
  std::array<std::vector<double>, 6> fields_;
  std::vector<quanta> currents_;
  row_job job_{};
};

template <class Work>
void for_kernels(const Work& work) {
  for (const auto& kernels : usable_kernels())
    for (const int order : {1, 2}) work(kernels, order);
}

}  // namespace

BOOST_AUTO_TEST_CASE(momentum_grows_evenly_in_an_electric_field) {
  for_kernels([](const cell_kernels& kernels, int order) {
    for (const pusher how : {pusher::boris, pusher::higuera_cary}) {
      one_particle electron({0.3, -0.2, 0.1}, {}, 0.5);
      for (int step = 0; step < 40; ++step) electron.step(kernels, order, how);
      BOOST_TEST(std::abs(electron.u[0] + 6) < 1e-13);
      BOOST_TEST(std::abs(electron.u[1] - 4) < 1e-13);
      BOOST_TEST(std::abs(electron.u[2] + 2) < 1e-13);
      // The displacement is sqrt(1 + u^2) - 1 over the field, up to half a step in time.
      const double field = std::sqrt(0.14), u = std::sqrt(56.0);
      const double way = std::hypot(electron.at[0], electron.at[1], electron.at[2]);
      BOOST_TEST(std::abs(way - (std::sqrt(1 + u * u) - 1) / field) < 0.3);
    }
  });
}

BOOST_AUTO_TEST_CASE(magnetic_field_turns_by_the_angle_of_the_pusher_and_keeps_the_energy) {
  for_kernels([](const cell_kernels& kernels, int order) {
    for (const pusher how : {pusher::boris, pusher::higuera_cary}) {
      one_particle electron({}, {0, 0, 0.8}, 0.5);
      electron.u = {1.5, 0, 0.5};
      const double gamma = electron.gamma(), t = 0.2;
      double turning = gamma;
      if (how == pusher::higuera_cary) {
        const double less = gamma * gamma - t * t;
        turning = std::sqrt((less + std::sqrt(less * less + 4 * t * t * 1.25)) / 2);
      }
      const double angle = 2 * std::atan(t / turning);
      for (int step = 1; step <= 20; ++step) {
        electron.step(kernels, order, how);
        const double expected = std::remainder(step * angle, 2 * std::numbers::pi);
        BOOST_TEST(std::abs(std::atan2(electron.u[1], electron.u[0]) - expected) < 1e-13);
        BOOST_TEST(std::abs(electron.gamma() - gamma) < 1e-14);
        BOOST_TEST(electron.u[2] == 0.5);
      }
    }
  });
}

/// In crossed fields a particle that moves with E x B / B^2 moves in a straight line. Higuera and
/// Cary keep this for steps of any length, Boris only for short ones.
BOOST_AUTO_TEST_CASE(drift_in_crossed_fields_is_kept_by_higuera_and_cary) {
  for_kernels([](const cell_kernels& kernels, int order) {
    const auto error = [&](pusher how) {
      one_particle electron({0, 0.9, 0}, {0, 0, 1}, 0.5);
      const double u = 0.9 / std::sqrt(1 - 0.81);
      electron.u = {u, 0, 0};
      for (int step = 0; step < 20; ++step) electron.step(kernels, order, how);
      return std::hypot(electron.u[0] - u, electron.u[1], electron.u[2]);
    };
    BOOST_TEST(error(pusher::higuera_cary) < 1e-12);
    BOOST_TEST(error(pusher::boris) > 1e-3);
  });
}

BOOST_AUTO_TEST_CASE(energy_is_that_at_the_time_of_the_fields) {
  for (const auto& kernels : usable_kernels()) {
    one_particle electron({0.4, 0, 0}, {}, 0.5);
    electron.u = {-1, 2, 0};
    const double u = -1.1;
    BOOST_TEST(std::abs(electron.energy(kernels) - (std::sqrt(1 + u * u + 4) - 1)) < 1e-15);
  }
}

/// Shapes of order n reproduce moments of a particle: the weights add up to 1, and their centre is
/// the particle's place.
BOOST_AUTO_TEST_CASE(weights_of_a_shape_are_centred_at_the_particle) {
  const auto check = [](auto of) {
    using S = decltype(of);
    for (double offset = S::least; offset <= S::least + 1; offset += 0.125) {
      double weights[S::nodes], sum = 0, centre = 0;
      S::at_nodes(offset, weights);
      for (int i = 0; i < S::nodes; ++i) {
        sum += weights[i];
        centre += weights[i] * (S::first + i);
      }
      BOOST_TEST(std::abs(sum - 1) < 1e-15);
      BOOST_TEST(std::abs(centre - offset) < 1e-15);
    }
  };
  check(shape<1>());
  check(shape<2>());
}
