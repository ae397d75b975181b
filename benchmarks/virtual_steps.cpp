#include "benchmarks/virtual_steps.hpp"

#include <algorithm>
#include <onehop/collectives.hpp>

#include "transport/base/transport.hpp"

namespace onehop::bench {
namespace {

/// The first steps bring pipelines and caches into their steady state.
constexpr std::uint64_t warmup_steps = 2;
constexpr auto pause = std::chrono::microseconds(100);

/// Returns on all ranks at the same moment, when no message is in flight any more.
void synchronise(const context& ctx) {
  constexpr int sleepy_turn = 1 << 20;
  const auto mine = clock_of(ctx).now();
  clock::time_point last = mine;
  for (const auto& theirs : allgather(ctx, mine)) last = std::max(last, theirs);
  while (!clock_of(ctx).idle(sleepy_turn, last + pause)) {
  }
}

double slowest_us(const context& ctx, contender& who, std::uint64_t steps) {
  synchronise(ctx);
  const auto begin = clock_of(ctx).now();
  who.run(steps);
  const measure::microseconds mine = clock_of(ctx).now() - begin;
  return std::ranges::max(allgather(ctx, mine.count()));
}

double time_steps(const context& ctx, contender& who, std::uint64_t steps, bool apart) {
  who.run(warmup_steps);
  if (!apart) return slowest_us(ctx, who, steps) / static_cast<double>(steps);
  double total = 0;
  for (std::uint64_t step = 0; step < steps; ++step) total += slowest_us(ctx, who, 1);
  return total / static_cast<double>(steps);
}

}  // namespace

outcome time_virtual_steps(const context& ctx, contenders& list, std::uint64_t steps, bool apart) {
  outcome result;
  result.met = true;
  result.why = "virtual time is the same in every run";
  result.disturbed.push_back(0);
  for (const auto& who : list) {
    who->run_checked(1);
    series one;
    one.name = who->name();
    one.channel = who->describe();
    one.steps = steps;
    one.bytes = who->bytes();
    one.hops = who->hops();
    one.us.push_back(time_steps(ctx, *who, steps, apart));
    who->run_checked(1);
    for (const std::uint64_t wrong : allgather(ctx, who->wrong())) one.wrong += wrong;
    result.all.push_back(std::move(one));
  }
  return result;
}

}  // namespace onehop::bench
