// spin_glass X Y Z BETA [SWEEPS [OVERRELAXATIONS [SEED]]] prints energies of a Gaussian spin glass,
// sweep by sweep. It runs alone, under `onehop run -n N --` and under mpirun.
#include "simulation.hpp"

#include <common/program.hpp>

#include <cstdio>
#include <stdexcept>

namespace {

using app_common::number;

int run(const onehop::context& job, const app_common::words& words) {
  if (words.size() < 4 || words.size() > 7)
    throw std::invalid_argument(
        "4 to 7 words are needed: X Y Z BETA [SWEEPS [OVERRELAXATIONS [SEED]]]");
  const onehop::cartesian ranks(
      job, {number<int>(words[0]), number<int>(words[1]), number<int>(words[2])});
  const auto beta = number<double>(words[3]);
  const int sweeps = words.size() > 4 ? number<int>(words[4], 1) : 10;
  const int overrelaxations = words.size() > 5 ? number<int>(words[5], 0) : 10;
  const auto seed = words.size() > 6 ? number<std::uint64_t>(words[6]) : 1;
  const auto glass = spin_glass::make_simulation(ranks, {.seed = seed});
  const auto sites = static_cast<double>(onehop::volume(ranks.extents()));
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const auto energies = glass->sweep({&beta, 1}, overrelaxations).front();
    if (job.rank() == 0)
      std::printf("%d %.10f\n", sweep + 1, energies.after_overrelaxation / sites);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  return app_common::run_program("spin_glass", count, words, run);
}
