#include "benchmarks/line_latency.hpp"

#include <array>
#include <onehop/collectives.hpp>

#include "measure/stopwatch.hpp"

namespace onehop::bench {

double line_latency::measure_ns() {
  constexpr std::uint64_t warmup = 8, trips = 32;
  const context& ctx = memory_.ctx();
  if (ctx.size() == 1) return 0;
  barrier(ctx);
  measure::stopwatch::clock::time_point begin;
  for (std::uint64_t trip = 0; trip < warmup + trips && ctx.rank() < 2; ++trip) {
    if (trip == warmup) begin = measure::stopwatch::clock::now();
    ++count_;
    if (ctx.rank() == 0) memory_.flag(1, 0).value.store(count_, std::memory_order_release);
    memory_.await(memory_.flag(ctx.rank(), 0).value, count_);
    if (ctx.rank() == 1) memory_.flag(0, 0).value.store(count_, std::memory_order_release);
  }
  std::array<double, 1> found{0};
  if (ctx.rank() == 0)
    found[0] =
        std::chrono::duration<double, std::nano>(measure::stopwatch::clock::now() - begin).count() /
        (2.0 * trips);
  allreduce_max(ctx, found);
  return found[0];
}

}  // namespace onehop::bench
