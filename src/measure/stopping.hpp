#pragma once
/// The stopping criterion says when a measurement has enough samples.

#include <cstddef>
#include <span>
#include <string>

#include "measure/statistics.hpp"
#include "measure/stopwatch.hpp"

namespace onehop::measure {

struct stopping_limits {
  microseconds least_time{0};
  microseconds most_time{0};  ///< time after which it stops, whatever the spread
  double spread = 0.01;       ///< goal for summary::spread
  std::size_t least_samples = fewest_for_interval;
};

enum class progress { more, met, time_limit };

/// Returns `met` once all three hold: enough samples, enough time, and a relative spread of the
/// median within its goal. `time_limit` says that the criterion was not met.
progress check_progress(const stopping_limits& limits, std::span<const double> samples,
                        microseconds spent);

/// Explains the outcome, such as "spread 0.8% met the goal of 1%" or "stopped at 2 s with spread
/// 4%, over the goal of 1%".
std::string explain(const stopping_limits& limits, std::span<const double> samples,
                    microseconds spent);

}  // namespace onehop::measure
