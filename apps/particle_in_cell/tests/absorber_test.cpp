#include <particle_in_cell/yee_grid.hpp>

#include <onehop/adversary.hpp>

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace particle_in_cell;

namespace {

/// A ring of light that grows from the middle meets the ends at angles up to 45 degrees. Its waves
/// are about 12 cells long.
double pulse_at(double x, double y) {
  const double square = x * x + y * y;
  return std::exp(-square / 32) * (1 - square / 32);
}

yee_grid make(const onehop::context& job, const std::vector<int>& lattice, boundary ends,
              double dt) {
  yee_grid made(onehop::cartesian(job, lattice), dt, 1, ends);
  const auto none = [](const onehop::coordinate&) { return std::array<double, 3>{}; };
  made.set(none, [&](const onehop::coordinate& cell) -> std::array<double, 3> {
    return {0, 0, pulse_at(cell[0] + 0.5 - lattice[0] / 2, cell[1] + 0.5 - lattice[1] / 2)};
  });
  return made;
}

void play(yee_grid& grid, int steps) {
  for (int step = 0; step < steps; ++step) {
    grid.start_step();
    grid.finish_step();
  }
}

}  // namespace

/// A lattice three times as long shows the field without ends, until light comes around it.
BOOST_AUTO_TEST_CASE(light_that_meets_an_end_comes_back_with_a_ten_thousandth_of_its_amplitude) {
  const auto job = onehop::join("self");
  const double dt = 0.95 / std::sqrt(2);
  constexpr int extent = 64, wide = 192, apart = (wide - extent) / 2, steps = 130;
  yee_grid ended = make(job, {extent, extent}, boundary::absorbing, dt),
           open = make(job, {wide, wide}, boundary::periodic, dt);
  double most = 0, most_there = 0;
  for (int step = 0; step < steps; ++step) {
    play(ended, 1);
    play(open, 1);
    for (int y = absorber::thickness; y < extent - absorber::thickness; ++y) {
      constexpr int x = absorber::thickness;
      const double here = ended.magnetic({x, y, 0, 0})[2],
                   there = open.magnetic({x + apart, y + apart, 0, 0})[2];
      most = std::max(most, std::abs(here - there));
      most_there = std::max(most_there, std::abs(there));
    }
  }
  BOOST_TEST_MESSAGE("reflected " << most / most_there);
  BOOST_TEST(most_there > 0.05);
  BOOST_TEST(most < 1e-4 * most_there);
}
