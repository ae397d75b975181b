// particle_in_cell SETUP X Y Z CELL SPEED [STEPS [PARTICLES [ORDER]]] prints ten times during the
// run the energies of E, of B and of particles, and how far Gauss's law is from holding. Z = 0 is a
// lattice of two dimensions; for wakefield, SPEED is a0 of its laser pulse. It runs alone, under
// `onehop run -n N --` and under mpirun.
#include "simulation.hpp"

#include <common/program.hpp>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace {

using app_common::number;

int run(const onehop::context& job, const app_common::words& given) {
  if (given.size() < 6 || given.size() > 9)
    throw std::invalid_argument(
        "6 to 9 words are needed: SETUP X Y Z CELL SPEED [STEPS [PARTICLES [ORDER]]]");
  std::vector<int> lattice{number<int>(given[1]), number<int>(given[2]), number<int>(given[3])};
  if (lattice[2] == 0) lattice.pop_back();
  particle_in_cell::setup_options what{.kind = particle_in_cell::setup_named(given[0]),
                                       .cell = number<double>(given[4]),
                                       .speed = number<double>(given[5])};
  const int steps = given.size() > 6 ? number<int>(given[6], 1) : 100;
  if (given.size() > 7) what.particles = number<int>(given[7], 1);
  if (given.size() > 8) what.order = number<int>(given[8]);
  what.laser.a0 = what.speed;
  particle_in_cell::simulation plasma(job, lattice, {}, what, {});
  for (int done = 0; done < steps;) {
    const int next = std::min(steps, done + std::max(1, steps / 10));
    plasma.advance(next - done);
    done = next;
    const auto sums = plasma.sums();
    if (job.rank() == 0)
      std::printf("%d %.17g %.17g %.17g %.2g\n", done, sums.electric_energy, sums.magnetic_energy,
                  sums.kinetic_energy, sums.gauss.electric);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  return app_common::run_program("particle_in_cell", count, words, run);
}
