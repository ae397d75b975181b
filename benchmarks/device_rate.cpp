#include "benchmarks/device_rate.hpp"

#include <algorithm>

#include "benchmarks/device_work.hpp"
#include "benchmarks/reference_result.hpp"
#include "benchmarks/solve_work.hpp"
#include "measure/statistics.hpp"
#include "solver/device_choice.hpp"

namespace onehop::bench {
namespace {

constexpr double worth = 1.03;

using device::memory;

/// Copies are at least this large, so that their data do not stay in a cache.
constexpr std::size_t least_copied_bytes = std::size_t{256} << 20U;

void take_samples(const context& ctx, device::backend& where, device_work& work,
                  operator_rate& rate, const measure::stopping_limits& stop) {
  const auto on = where.make_stream();
  const std::size_t copied =
      std::max(least_copied_bytes, static_cast<std::size_t>(work.bytes()) / 2);
  const memory from(where, copied);
  const memory to(where, copied);
  const auto copy = [&](int count) {
    for (int k = 0; k < count; ++k) on->copy(to.data(), from.data(), copied);
  };
  const auto hop = [&](int count) { work.run(*on, count); };
  hop(2);
  copy(2);
  const int hops = count_for_a_block(ctx, *on, hop);
  const int copies = count_for_a_block(ctx, *on, copy);
  double spent = 0;
  while (measure::check_progress(stop, rate.gflops, measure::microseconds(spent * 1e6)) ==
         measure::progress::more) {
    const double copy_s = device_seconds(ctx, *on, [&] { copy(copies); });
    const double work_s = device_seconds(ctx, *on, [&] { hop(hops); });
    rate.memory_gbs.push_back(2.0 * static_cast<double>(copied) * ctx.size() * copies / copy_s *
                              1e-9);
    rate.gflops.push_back(work.flops() * hops / work_s * 1e-9);
    spent += copy_s + work_s;
  }
}

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

operator_rate measure_device_operator(const onehop::geometry& geometry, const operator_cell& what,
                                      const measure::stopping_limits& stop) {
  const auto where = open_cell_device(geometry.context(), what);
  const bench_links bench(geometry);
  const hop_links links(bench.links, what.dirac);
  const auto work = make_device_work(*where, links, what);
  operator_rate rate;
  rate.kernels = where->name();
  const double sites = static_cast<double>(geometry.volume()) / 2 * what.rhs;
  rate.flops_per_site = work->flops() / sites;
  rate.bytes_per_site = work->bytes() * geometry.context().size() / sites;
  rate.working_set_bytes = work->bytes() * geometry.context().size();
  rate.error = work->error();
  rate.error_limit = error_limit(what.precision);
  take_samples(geometry.context(), *where, *work, rate, stop);
  return rate;
}

}  // namespace onehop::bench
