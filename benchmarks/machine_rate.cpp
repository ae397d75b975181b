#include "benchmarks/machine_rate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "base/environment.hpp"
#include "dirac/kernels.hpp"
#include "measure/stopwatch.hpp"

namespace onehop::bench {
namespace {

/// This takes half a millisecond, so that the time in which the threads of a team wake up is
/// negligible.
constexpr std::size_t rounds = 200000;
constexpr std::size_t line_bytes = 64;

}  // namespace

machine_rate::machine_rate(const kernel_table& kernels, thread_team& team, std::size_t bytes,
                           double written)
    : kernels_(&kernels),
      team_(&team),
      reads_per_write_(static_cast<std::size_t>(std::lround((1 - written) / written))),
      lines_(std::max<std::size_t>(team.threads(), bytes / line_bytes / (reads_per_write_ + 1))),
      read_(lines_ * reads_per_write_ * line_bytes),
      written_(lines_ * line_bytes) {
  // The memory is written first, because pages that were never written may all be the same page of
  // zeros.
  team.run([&](int thread) {
    const auto share = team.share(lines_, thread);
    const std::size_t width = reads_per_write_ * line_bytes;
    std::memset(read_.data() + share.begin * width, 1, (share.end - share.begin) * width);
    std::memset(written_.data() + share.begin * line_bytes, 1,
                (share.end - share.begin) * line_bytes);
  });
}

double machine_rate::flops() const noexcept {
  return static_cast<double>(rounds) * kernels_->fma_round_flops * team_->threads();
}

void machine_rate::compute() {
  team_->run([this](int) { kernels_->fma(rounds); });
}

double machine_rate::bytes() const noexcept {
  return static_cast<double>(read_.size() + written_.size());
}

void machine_rate::stream() {
  team_->run([this](int thread) {
    const auto share = team_->share(lines_, thread);
    kernels_->stream(written_.data() + share.begin * line_bytes,
                     read_.data() + share.begin * reads_per_write_ * line_bytes, reads_per_write_,
                     share.end - share.begin);
  });
}

double core_gflops() {
  const instruction_set& set = choose_instruction_set(environment::read().simd);
  const kernel_table& kernels =
      *set.kernels(field_precision::double_, set.widest_lanes(field_precision::double_));
  thread_team this_thread(1);
  machine_rate rate(kernels, this_thread, line_bytes, 0.5);
  double highest = 0;
  for (int sample = 0; sample < 20; ++sample) {
    const auto begin = measure::stopwatch::clock::now();
    rate.compute();
    const std::chrono::duration<double> spent = measure::stopwatch::clock::now() - begin;
    highest = std::max(highest, rate.flops() / spent.count() * 1e-9);
  }
  return highest;
}

}  // namespace onehop::bench
