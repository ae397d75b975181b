#include "netsim/engine/flow_rate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace onehop::netsim {

namespace {

std::uint64_t share_of(double part) {
  return static_cast<std::uint64_t>(std::llround(part * static_cast<double>(rate_law::whole)));
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) { return a * b >> rate_law::bits; }

// Starts a timer again as often as it has ended by now, and returns how often.
std::int64_t ended(picoseconds& started, picoseconds timer, picoseconds now) {
  const auto count = std::max<std::int64_t>(0, (now - started) / timer);
  started += count * timer;
  return count;
}

}  // namespace

rate_law::rate_law(const congestion_control& of, double line)
    : gain(share_of(of.gain)),
      increase(std::max<std::uint64_t>(1, share_of(of.increase_rate / line))),
      estimate_timer(of.estimate_timer),
      increase_timer(of.increase_timer),
      increase_bytes(of.increase_bytes),
      recovery_steps(of.recovery_steps) {}

void flow_rate::cut(const rate_law& law, picoseconds now) {
  advance(law, now);
  goal_ = share_;
  share_ = std::max(share_ - times(share_, estimate_) / 2, law.increase);
  estimate_ += times(rate_law::whole - estimate_, law.gain);
  estimated_ = raised_ = now;
  bytes_ = rises_by_time_ = rises_by_bytes_ = 0;
}

void flow_rate::advance(const rate_law& law, picoseconds now) {
  for (auto count = ended(estimated_, law.estimate_timer, now); count > 0; --count) {
    const auto less = times(estimate_, law.gain);
    if (less == 0) break;
    estimate_ -= less;
  }
  for (auto count = ended(raised_, law.increase_timer, now); count > 0 && is_limited(); --count) {
    ++rises_by_time_;
    raise(law);
  }
}

void flow_rate::sent(const rate_law& law, std::uint64_t bytes) {
  bytes_ += bytes;
  for (; bytes_ >= law.increase_bytes; bytes_ -= law.increase_bytes) {
    ++rises_by_bytes_;
    raise(law);
  }
}

// Recovery goes half-way to the rate before the cut each time; after it, that goal rises too.
void flow_rate::raise(const rate_law& law) {
  if (std::max(rises_by_time_, rises_by_bytes_) > law.recovery_steps)
    goal_ = std::min(goal_ + law.increase, rate_law::whole);
  share_ = (share_ + goal_ + 1) / 2;
}

}  // namespace onehop::netsim
