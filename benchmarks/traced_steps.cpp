#include "benchmarks/traced_steps.hpp"

#include <onehop/collectives.hpp>

namespace onehop::bench {

std::shared_ptr<trace> record_steps(const context& ctx, const cell& what, std::uint64_t steps) {
  constexpr std::uint64_t warmup_steps = 8;
  cell ours = what;
  ours.against_hand = false;
  const contenders list = make_contenders(ctx, ours);
  list.front()->run(warmup_steps);
  const auto recorder = std::make_shared<trace>();
  barrier(ctx);
  ctx.set_trace(recorder);
  list.front()->run(steps);
  ctx.set_trace(nullptr);
  return recorder;
}

}  // namespace onehop::bench
