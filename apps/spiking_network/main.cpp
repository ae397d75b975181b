// spiking_network X Y MS [NEURONS [SYNAPSES [SEED [stdp]]]] simulates a grid of X by Y columns and
// prints ten times during the run how many neurons have fired. It runs alone, under `onehop run -n
// N --` and under mpirun.
#include "simulation.hpp"

#include <common/program.hpp>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace {

using app_common::number;

/// Returns 1 if a spike was lost.
int run(const onehop::context& job, const app_common::words& given) {
  if (given.size() < 3 || given.size() > 7)
    throw std::invalid_argument(
        "3 to 7 words are needed: X Y MS [NEURONS [SYNAPSES [SEED [stdp]]]]");
  spiking_network::network_settings how;
  how.columns_x = number<std::uint32_t>(given[0]);
  how.columns_y = number<std::uint32_t>(given[1]);
  const int steps = number<int>(given[2], 1);
  if (given.size() > 3) how.neurons = number<std::uint32_t>(given[3]);
  if (given.size() > 4) how.synapses = number<std::uint32_t>(given[4]);
  if (given.size() > 5) how.seed = number<std::uint64_t>(given[5]);
  if (given.size() > 6 && given[6] != "stdp")
    throw std::invalid_argument("'" + std::string(given[6]) + "' is not stdp");
  how.plastic = given.size() > 6;
  check(how);
  const onehop::cartesian ranks(job,
                                {static_cast<int>(how.columns_x), static_cast<int>(how.columns_y)});
  spiking_network::simulation network(ranks, how);
  for (int done = 0; done < steps;) {
    const int next = std::min(steps, done + std::max(1, steps / 10));
    network.advance(next - done);
    done = next;
    const auto kinds = network.kinds();
    const auto checksum = network.checksum();
    if (job.rank() == 0)
      std::printf("%d ms %llu excitatory %llu inhibitory %016llx\n", done,
                  static_cast<unsigned long long>(kinds[0].spikes),
                  static_cast<unsigned long long>(kinds[1].spikes),
                  static_cast<unsigned long long>(checksum));
  }
  const auto counts = network.counts();
  return counts.sent == counts.received && counts.delivered == counts.due ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  return app_common::run_program("spiking_network", count, words, run);
}
