#include "rma/autotune.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <onehop/collectives.hpp>
#include <vector>

#include "machine/ticks.hpp"
#include "transport/base/transport.hpp"

namespace onehop {
namespace {

/// Measures the median time of `rounds` rounds on the slowest rank, after the same number of rounds
/// to warm up.
round_time time_rounds(const context& ctx, std::size_t rounds) {
  using clock = std::chrono::steady_clock;
  for (std::size_t round = 0; round < rounds; ++round) barrier(ctx);
  std::vector<std::uint64_t> spent(rounds);
  const clock::time_point begin = clock::now();
  const std::uint64_t first = ticks();
  std::uint64_t before = first;
  for (std::uint64_t& one : spent) {
    barrier(ctx);
    const std::uint64_t now = ticks();
    one = now - before;
    before = now;
  }
  const double all_ns = std::chrono::duration<double, std::nano>(clock::now() - begin).count();
  std::ranges::sort(spent);
  const std::uint64_t median = spent[rounds / 2];
  // If there is no counter of ticks, the mean is used instead of the median.
  const double share = before == first
                           ? 1.0 / static_cast<double>(rounds)
                           : static_cast<double>(median) / static_cast<double>(before - first);
  std::array<double, 1> slowest_rank{all_ns * share};
  allreduce_max(ctx, slowest_rank);
  return {slowest_rank[0], median};
}

}  // namespace

void autotune_channels(const context& ctx) {
  channel_choice* const choice = transport_of(ctx).channels();
  if (choice == nullptr || choice->is_autotuned()) return;
  // If other programs use the cores, a round takes milliseconds, and more rounds give no better
  // value. Otherwise the first rounds are slow, because nothing is in the caches yet.
  constexpr double disturbed_ns = 5000;
  constexpr std::size_t few = 8, many = 200;
  round_time found = time_rounds(ctx, few);
  if (found.ns < disturbed_ns) found = time_rounds(ctx, many);
  choice->autotune(found);
}

}  // namespace onehop
