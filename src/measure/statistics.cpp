#include "measure/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace onehop::measure {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

double middle(const std::vector<double>& ascending) {
  const std::size_t half = ascending.size() / 2;
  return ascending.size() % 2 == 1 ? ascending[half] : (ascending[half - 1] + ascending[half]) / 2;
}

/// Returns the largest k for which fewer than k of `count` fair coins show heads with at most 2.5%
/// probability; 0 if there is none.
std::size_t cut(std::size_t count) {
  const auto n = static_cast<double>(count);
  double below = 0;
  // The logarithm of the probability of k heads is computed from that of k - 1.
  double chance = -n * std::log(2.0);
  std::size_t k = 0;
  for (; k < count / 2; ++k) {
    const auto heads = static_cast<double>(k);
    below += std::exp(chance);
    if (below > 0.025) break;
    chance += std::log((n - heads) / (heads + 1));
  }
  return k;
}

interval interval_of(const std::vector<double>& ascending) {
  const std::size_t k = std::max<std::size_t>(cut(ascending.size()), 1);
  return {ascending[k - 1], ascending[ascending.size() - k]};
}

}  // namespace

double median(std::span<const double> values) { return middle(sorted(values)); }

interval median_interval(std::span<const double> values) { return interval_of(sorted(values)); }

summary summarize(std::span<const double> values) {
  const std::vector<double> ascending = sorted(values);
  const double center = middle(ascending);
  const interval range = interval_of(ascending);
  const double spread = center > 0 ? (range.high - range.low) / (2 * center) : 0;
  return {ascending.size(), center, ascending.front(), ascending.back(), range, spread};
}

std::string_view name(verdict result) {
  static constexpr std::array<std::string_view, 4> names{"SAME", "FAST", "SLOW", "AMBIGUOUS"};
  return names[static_cast<std::size_t>(result)];
}

verdict verdict_on(interval range, double tolerance) {
  const auto [low, high] = range;
  if (low >= 1 / tolerance && high <= tolerance) return verdict::same;
  if (high < 1 / tolerance) return verdict::fast;
  return low > tolerance ? verdict::slow : verdict::ambiguous;
}

comparison compare_pairs(std::span<const double> ours, std::span<const double> theirs,
                         double tolerance) {
  std::vector<double> ratios(ours.size());
  std::ranges::transform(ours, theirs, ratios.begin(), [](double a, double b) { return a / b; });
  std::ranges::sort(ratios);
  comparison found{middle(ratios), interval_of(ratios), verdict::ambiguous};
  if (ratios.size() >= fewest_for_interval) found.result = verdict_on(found.range, tolerance);
  return found;
}

}  // namespace onehop::measure
