// lattice_boltzmann SETUP X Y Z TAU [STEPS [COLLISION]] prints the amplitude of taylor-green or
// poiseuille ten times during the run, with the collision trt or bgk. It runs alone, under `onehop
// run -n N --` and under mpirun.
#include "simulation.hpp"

#include <common/program.hpp>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace {

using app_common::number;

int run(const onehop::context& job, const app_common::words& given) {
  if (given.size() < 5 || given.size() > 7)
    throw std::invalid_argument("5 to 7 words are needed: SETUP X Y Z TAU [STEPS [COLLISION]]");
  const std::vector<int> lattice{number<int>(given[1]), number<int>(given[2]),
                                 number<int>(given[3])};
  const int steps = given.size() > 5 ? number<int>(given[5], 1) : 100;
  lattice_boltzmann::simulation_options how{.kind = lattice_boltzmann::setup_named(given[0]),
                                            .tau = number<double>(given[4])};
  const std::string_view collision = given.size() > 6 ? given[6] : "trt";
  if (collision != "trt" && collision != "bgk")
    throw std::invalid_argument("collision '" + std::string(collision) + "' is not trt or bgk");
  if (collision == "trt") how.magic = 3.0 / 16;
  const auto flow = lattice_boltzmann::make_simulation(job, lattice, {}, how);
  for (int done = 0; done < steps;) {
    const int next = std::min(steps, done + std::max(1, steps / 10));
    flow->advance(next - done);
    done = next;
    const double amplitude = flow->sums().amplitude;
    if (job.rank() == 0) std::printf("%d %.17g\n", done, amplitude);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  return app_common::run_program("lattice_boltzmann", count, words, run);
}
