#include "benchmarks/line_latency.hpp"

#include <array>
#include <onehop/collectives.hpp>

#include "measure/stopwatch.hpp"

namespace onehop::bench {

double line_latency::measure_ns() {
  constexpr std::uint64_t warmup = 8, trips = 32;
  if (ctx_.size() == 1 || flags_ == nullptr) return 0;
  barrier(ctx_);
  measure::stopwatch::clock::time_point begin;
  for (std::uint64_t trip = 0; trip < warmup + trips && ctx_.rank() < 2; ++trip) {
    if (trip == warmup) begin = measure::stopwatch::clock::now();
    ++count_;
    if (ctx_.rank() == 0) flags_[1].value.store(count_, std::memory_order_release);
    await_flag(ctx_, flags_[ctx_.rank()].value, count_);
    if (ctx_.rank() == 1) flags_[0].value.store(count_, std::memory_order_release);
  }
  std::array<double, 1> found{0};
  if (ctx_.rank() == 0)
    found[0] =
        std::chrono::duration<double, std::nano>(measure::stopwatch::clock::now() - begin).count() /
        (2.0 * trips);
  allreduce_max(ctx_, found);
  return found[0];
}

}  // namespace onehop::bench
