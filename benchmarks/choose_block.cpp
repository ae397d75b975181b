#include "benchmarks/choose_block.hpp"

#include "measure/statistics.hpp"

namespace onehop::bench {
namespace {

constexpr double worth = 1.03;

}  // namespace

block_times time_blocks(std::span<const int> choices, int rounds,
                        const std::function<double(int threads)>& seconds) {
  block_times times;
  for (int round = 0; round < rounds; ++round) {
    for (const int threads : choices) times[threads].push_back(seconds(threads));
  }
  return times;
}

int fastest_block(const block_times& times, int standard) {
  int best = standard;
  double least = measure::median(times.at(standard)) / worth;
  for (const auto& [threads, taken] : times) {
    const double time = measure::median(taken);
    if (time >= least) continue;
    best = threads;
    least = time;
  }
  return best;
}

}  // namespace onehop::bench
