#pragma once
/// These statistics are robust: they assume no distribution, and one outlier changes little.

#include <cstddef>
#include <span>
#include <string_view>

namespace onehop::measure {

struct interval {
  double low, high;
};

/// Every function below needs at least one value.
double median(std::span<const double> values);

/// Returns where the median of the distribution lies with at least 95% probability, whatever the
/// distribution: between two of the sorted values, chosen by the binomial law of how many fall
/// below the median. With fewer values than `fewest_for_interval` no two are that far apart; the
/// interval is then their range.
constexpr std::size_t fewest_for_interval = 6;
interval median_interval(std::span<const double> values);

struct summary {
  std::size_t count;
  double median, least, most;
  interval range;  ///< interval of the median
  double spread;   ///< half of the range, relative to the median
};
summary summarize(std::span<const double> values);

enum class verdict { same, fast, slow, ambiguous };
std::string_view name(verdict result);

/// Returns `same` if the whole interval of a ratio lies within a factor `tolerance` of 1, `fast` or
/// `slow` if it lies wholly outside, and `ambiguous` if it includes the limit.
verdict verdict_on(interval range, double tolerance);

struct comparison {
  double ratio;    ///< median of ours / theirs
  interval range;  ///< interval of the median ratio
  verdict result;
};

/// Compares values taken in pairs, close in time, so that slow changes (clock rates, migrating
/// threads, other programs) cancel in each pair's ratio. The verdict is that of verdict_on, and
/// also `ambiguous` if there are too few pairs for an interval. Both lists have the same length.
comparison compare_pairs(std::span<const double> ours, std::span<const double> theirs,
                         double tolerance);

}  // namespace onehop::measure
