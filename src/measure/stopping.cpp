#include "measure/stopping.hpp"

#include "base/text.hpp"

namespace onehop::measure {
namespace {

std::string percent(double share) {
  // Two digits are printed, which is more accuracy than the spread of a spread has.
  const double scaled = share * 100;
  std::ostringstream out;
  out.precision(2);
  out << scaled << '%';
  return out.str();
}

}  // namespace

progress check_progress(const stopping_limits& limits, std::span<const double> samples,
                        microseconds spent) {
  const bool enough = !samples.empty() && samples.size() >= limits.least_samples;
  if (enough && spent >= limits.least_time && summarize(samples).spread <= limits.spread)
    return progress::met;
  return spent >= limits.most_time && !samples.empty() ? progress::time_limit : progress::more;
}

std::string explain(const stopping_limits& limits, std::span<const double> samples,
                    microseconds spent) {
  const std::string goal = percent(limits.spread);
  if (samples.empty()) return "no sample was taken";
  const std::string spread = percent(summarize(samples).spread);
  if (check_progress(limits, samples, spent) == progress::met)
    return text("spread ", spread, " met the goal of ", goal);
  return text("stopped after ", spent.count() / 1e6, " s and ", samples.size(),
              " samples with spread ", spread, ", the goal was ", goal);
}

}  // namespace onehop::measure
