#include "arrivals.hpp"

#include "random_uses.hpp"

#include <onehop/error.hpp>

#include <cmath>
#include <string>

namespace event_stream {
namespace {

constexpr int bunch = 8;

}  // namespace

arrival_pattern arrival_pattern_named(std::string_view name) {
  if (name == "poisson") return arrival_pattern::poisson;
  if (name == "constant") return arrival_pattern::constant;
  if (name == "bunches") return arrival_pattern::bunches;
  throw onehop::usage_error("arrivals '" + std::string(name) +
                            "' are not known: give poisson, constant or bunches");
}

arrivals::arrivals(arrival_pattern pattern, double events_per_s, std::uint64_t seed)
    : pattern_(pattern), mean_gap_ns_(1e9 / events_per_s), seed_(seed) {
  // Times are whole nanoseconds in 64 bits, for all events that are drawn at once.
  if (!(events_per_s >= 1e-6 && events_per_s <= 1e9))
    throw onehop::usage_error(std::to_string(events_per_s) +
                              " events per second; from 1e-6 to 1e9 are possible");
}

std::uint64_t arrivals::next() {
  if (used_ == at_once) fill();
  return times_[used_++];
}

void arrivals::fill() {
  used_ = 0;
  if (pattern_ == arrival_pattern::constant) {
    for (std::uint64_t& time : times_)
      time = static_cast<std::uint64_t>(static_cast<double>(++drawn_) * mean_gap_ns_);
    return;
  }
  const std::size_t together = pattern_ == arrival_pattern::bunches ? bunch : 1;
  for (std::size_t k = 0; k < at_once; k += 2 * together) {
    const auto uniform = onehop::site_random(seed_, random_arrivals, 0, drawn_++).uniform_pair();
    for (std::size_t half = 0; half < 2; ++half) {
      last_ns_ -= std::log(uniform[half]) * mean_gap_ns_ * static_cast<double>(together);
      for (std::size_t each = 0; each < together; ++each)
        times_[k + half * together + each] = static_cast<std::uint64_t>(last_ns_);
    }
  }
}

}  // namespace event_stream
