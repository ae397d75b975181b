// Schedulers beside each other: nanoseconds of CPU time per event (pop one, push one) with a steady
// number of events pending. The times ahead are drawn beforehand, so they cost nothing.
//
//   even   spread over 2 us, all different
//   torus  a link, a DMA or a rare timer ahead, with many ties: what a halo exchange pushes
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

#include <onehop/random.hpp>
#include "benchmarks/event_queue_contenders.hpp"
#include "netsim/engine/heap_queue.hpp"
#include "netsim/engine/ladder_queue.hpp"

namespace {

using onehop::netsim::event;
using onehop::netsim::picoseconds;

constexpr std::size_t draws = 1U << 20;

picoseconds torus_step(std::uint32_t word) {
  constexpr picoseconds steps[] = {200'000, 200'000, 2'070'000, 1'467'000, 3'540'000, 200'000};
  if (word % 64 == 0) return 40'000'000;
  return steps[word / 64 % 6];
}

std::vector<picoseconds> times_ahead(bool is_torus) {
  std::vector<picoseconds> all(draws);
  for (std::uint32_t k = 0; k < draws; ++k) {
    const auto words = onehop::philox4x32({k, 0, 0, 0}, {1, 1});
    all[k] = is_torus ? torus_step(words[0]) : words[0] % 2'000'000;
  }
  return all;
}

template <class Queue>
double cost(std::size_t pending, const std::vector<picoseconds>& ahead) {
  Queue queue;
  std::uint32_t order = 0;
  std::size_t draw = 0;
  const auto push = [&](picoseconds now) {
    queue.push(event{now + ahead[draw++ % draws], order++, 0});
  };
  for (std::size_t k = 0; k < pending; ++k) push(0);
  const auto turn = [&](std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) push(queue.pop().time);
  };
  turn(2 * pending);
  const auto count = std::max<std::size_t>(1'000'000, 4 * pending);
  const auto start = std::clock();
  turn(count);
  return static_cast<double>(std::clock() - start) * 1e9 / CLOCKS_PER_SEC /
         static_cast<double>(count);
}

}  // namespace

int main() {
  std::printf("%-7s%9s%14s%14s%14s%14s\n", "ahead", "pending", "binary heap", "4-ary heap",
              "calendar", "ladder");
  for (const bool is_torus : {false, true}) {
    const auto ahead = times_ahead(is_torus);
    for (const std::size_t pending : {10UL, 1000UL, 30'000UL, 300'000UL}) {
      std::printf("%-7s%9zu%11.1f ns%11.1f ns%11.1f ns%11.1f ns\n", is_torus ? "torus" : "even",
                  pending, cost<onehop::netsim::heap_queue>(pending, ahead),
                  cost<onehop::bench::four_ary_heap>(pending, ahead),
                  cost<onehop::bench::calendar_queue>(pending, ahead),
                  cost<onehop::netsim::ladder_queue>(pending, ahead));
      std::fflush(stdout);
    }
  }
}
