#include "spike_statistics.hpp"

#include <onehop/collectives.hpp>
#include <onehop/exact_sum.hpp>
#include <onehop/random.hpp>

#include <cmath>

namespace spiking_network {
namespace {

constexpr std::uint32_t fewest_intervals = 3;

std::uint64_t mixed(neuron n, std::int32_t step) noexcept {
  const auto words = onehop::philox4x32({n, static_cast<std::uint32_t>(step), 0, 0}, {0, 0});
  return std::uint64_t{words[0]} << 32U | words[1];
}

}  // namespace

spike_statistics::spike_statistics(const sheet& columns, std::int32_t first)
    : column_neurons_(columns.settings().neurons),
      excitatory_(columns.settings().excitatory()),
      first_(first),
      intervals_(columns.own_neurons()) {}

void spike_statistics::add(neuron n, std::uint32_t local, std::int32_t step) noexcept {
  checksum_ += mixed(n, step);
  ++spikes_[kind(local)];
  if (step < first_) return;
  ++counted_[kind(local)];
  intervals& of = intervals_[local];
  if (of.last_spike >= 0) {
    const auto interval = static_cast<std::uint64_t>(step - of.last_spike);
    ++of.count;
    of.sum += interval;
    of.squares += interval * interval;
  }
  of.last_spike = step;
}

std::array<kind_statistics, 2> spike_statistics::kinds(const onehop::context& job) const {
  std::vector<onehop::exact_sum> variations(2);
  std::array<std::uint64_t, 6> counts{spikes_[0], spikes_[1], counted_[0], counted_[1], 0, 0};
  for (std::uint32_t local = 0; local < intervals_.size(); ++local) {
    const intervals& of = intervals_[local];
    if (of.count < fewest_intervals) continue;
    const auto n = static_cast<double>(of.count), sum = static_cast<double>(of.sum);
    // Both terms and their difference are whole numbers.
    const double spread = n * static_cast<double>(of.squares) - sum * sum;
    variations[kind(local)].add(std::sqrt(spread / (n * (n - 1))) / (sum / n));
    ++counts[4 + kind(local)];
  }
  onehop::allreduce(job, std::span<std::uint64_t>(counts));
  std::array<double, 2> sums;
  onehop::totals(job, variations, sums);
  std::array<kind_statistics, 2> found;
  for (std::size_t k = 0; k < 2; ++k) {
    found[k] = {counts[k], counts[2 + k], {}};
    if (counts[4 + k] > 0)
      found[k].interval_variation = sums[k] / static_cast<double>(counts[4 + k]);
  }
  return found;
}

std::uint64_t spike_statistics::checksum(const onehop::context& job) const {
  std::uint64_t sum = checksum_;
  onehop::allreduce(job, std::span(&sum, 1));
  return sum;
}

}  // namespace spiking_network
