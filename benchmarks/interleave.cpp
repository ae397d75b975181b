#include "benchmarks/interleave.hpp"

#include <algorithm>
#include <map>
#include <onehop/collectives.hpp>

#include "benchmarks/common_page.hpp"
#include "benchmarks/flag_line.hpp"
#include "measure/statistics.hpp"

namespace onehop::bench {
namespace {

using measure::microseconds;

/// A block_timer times one block on all ranks: it returns the slowest rank's time, and whether any
/// rank was disturbed.
class block_timer {
 public:
  explicit block_timer(const context& ctx) : ctx_(ctx) {}

  timed_block run(contender& who, std::uint64_t steps) {
    barrier(ctx_);
    timed_block slowest = who.time(steps);
    for (const timed_block& rank : allgather(ctx_, timed_block(slowest))) {
      slowest.us = std::max(slowest.us, rank.us);
      slowest.disturbances = std::max(slowest.disturbances, rank.disturbances);
      slowest.failed |= rank.failed;
    }
    if (slowest.failed) who.fail("it has failed on another rank");
    return slowest;
  }
  void start_clock() { begin_ = measure::stopwatch::clock::now(); }
  /// Returns the time since the start of the clock; the same on all ranks.
  microseconds spent() {
    std::array<double, 1> us{microseconds(measure::stopwatch::clock::now() - begin_).count()};
    allreduce_max(ctx_, us);
    return microseconds(us[0]);
  }

 private:
  context ctx_;
  measure::stopwatch::clock::time_point begin_;
};

/// A line_latency measures how long a cache line takes from rank 0 to rank 1, as half the round
/// trip of a flag. It depends on the cores of the ranks, and on a virtualised computer it changes
/// when the hypervisor moves the virtual cores.
class line_latency {
 public:
  explicit line_latency(const context& ctx)
      : ctx_(ctx), page_(ctx), flags_(reinterpret_cast<flag_line*>(page_.data())) {}
  /// Returns the same value on all ranks, 0 for one rank and for ranks of several machines.
  /// Collective.
  double measure_ns() {
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
      found[0] = std::chrono::duration<double, std::nano>(measure::stopwatch::clock::now() - begin)
                     .count() /
                 (2.0 * trips);
    allreduce_max(ctx_, found);
    return found[0];
  }

 private:
  context ctx_;
  common_page page_;
  flag_line* flags_;  ///< flags, one for each of the two ranks
  std::uint64_t count_ = 0;
};

/// Doubles the steps until a block lasts a quarter of the wanted time, then extrapolates.
std::uint64_t calibrate(block_timer& timer, contender& who, microseconds wanted) {
  for (std::uint64_t steps = 1;; steps *= 2) {
    const timed_block first = timer.run(who, steps);
    if (first.failed) return 1;
    const double us = std::max(first.us, 1e-3);
    if (us < wanted.count() / 4 && steps < (std::uint64_t{1} << 24)) continue;
    // The faster of two runs counts, because the first one may have waited for pages or a core.
    const double again = std::max(timer.run(who, steps).us, 1e-3);
    const double share = wanted.count() / std::min(us, again);
    return std::max<std::uint64_t>(1,
                                   static_cast<std::uint64_t>(static_cast<double>(steps) * share));
  }
}

std::vector<double> undisturbed(const series& one, const std::vector<char>& disturbed) {
  std::vector<double> clean;
  for (std::size_t i = 0; i < one.us.size(); ++i)
    if (!disturbed[i]) clean.push_back(one.us[i]);
  return clean;
}

/// Returns the undisturbed blocks if there are enough of them; with more ranks than cores there are
/// none.
std::vector<double> trusted_samples(const outcome& so_far, std::size_t least) {
  std::vector<double> clean = undisturbed(so_far.all.front(), so_far.disturbed);
  return clean.size() >= least ? clean : so_far.all.front().us;
}

void check(contenders& list, std::uint64_t steps) {
  for (const auto& who : list) who->run_checked(steps);
}

outcome prepare(const context& ctx, contenders& list, const schedule& how, block_timer& timer) {
  outcome result;
  check(list, how.checked_steps);
  for (const auto& who : list) {
    barrier(ctx);
    who->run(how.warmup);
    const std::uint64_t steps = how.steps != 0 ? how.steps : calibrate(timer, *who, how.block_time);
    result.all.push_back(
        {who->name(), who->family(), who->describe(), steps, who->bytes(), who->hops(), {}});
  }
  return result;
}

/// Runs one block of every contender that is still measured, beginning with a different one each
/// time.
void run_round(contenders& list, block_timer& timer, outcome& result) {
  const std::size_t round = result.disturbed.size();
  char disturbed = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::size_t who = (round + i) % list.size();
    series& one = result.all[who];
    if (one.dropped) continue;
    const timed_block block = timer.run(*list[who], one.steps);
    one.dropped = block.failed;
    if (block.failed) continue;
    one.us.push_back(block.us / static_cast<double>(one.steps));
    disturbed |= block.disturbances > 0;
  }
  result.disturbed.push_back(disturbed);
}

/// Keeps those contenders of each family that were about as fast as its fastest.
void drop_slow_ones(outcome& result) {
  // They are compared by their fastest block, because a block that lost its core says little about
  // a method.
  constexpr double slow = 1.15;
  const auto fastest = [&](std::size_t who) { return std::ranges::min(result.all[who].us); };
  std::map<std::string, double> best;
  for (std::size_t who = 0; who < result.all.size(); ++who) {
    if (result.all[who].us.empty()) continue;
    const auto [entry, fresh] = best.try_emplace(result.all[who].family, fastest(who));
    entry->second = std::min(entry->second, fastest(who));
  }
  for (std::size_t who = 0; who < result.all.size(); ++who) {
    series& one = result.all[who];
    if (one.us.empty()) continue;
    one.dropped |= !one.family.empty() && fastest(who) > slow * best[one.family];
  }
}

void sum_wrong(const context& ctx, const contenders& list, outcome& result) {
  for (std::size_t who = 0; who < list.size(); ++who)
    for (const std::uint64_t wrong : allgather(ctx, list[who]->wrong()))
      result.all[who].wrong += wrong;
}

}  // namespace

outcome interleave(const context& ctx, contenders& list, const schedule& how) {
  line_latency line(ctx);
  block_timer timer(ctx);
  outcome result = prepare(ctx, list, how, timer);
  std::vector<double> lines;
  const auto one_round = [&] {
    lines.push_back(line.measure_ns());
    run_round(list, timer, result);
  };
  const bool several = std::ranges::any_of(list, [](auto& who) { return !who->family().empty(); });
  if (several) {
    constexpr int screening_rounds = 5;
    for (int round = 0; round < screening_rounds; ++round) one_round();
    drop_slow_ones(result);
  }
  timer.start_clock();
  for (measure::progress so_far{}; so_far == measure::progress::more;) {
    one_round();
    const auto samples = trusted_samples(result, how.stop.least_samples);
    const microseconds spent = timer.spent();
    so_far = measure::check_progress(how.stop, samples, spent);
    result.met = so_far == measure::progress::met;
    result.why = measure::explain(how.stop, samples, spent);
  }
  check(list, how.checked_steps);
  sum_wrong(ctx, list, result);
  result.line_latency_ns = measure::median(lines);
  return result;
}

}  // namespace onehop::bench
