#include "netsim/engine/flow_rates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "netsim/machine/route.hpp"

namespace onehop::netsim {
namespace {

std::uint64_t share_of(double part) {
  return static_cast<std::uint64_t>(std::llround(part * static_cast<double>(rate_law::whole)));
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) { return a * b >> rate_law::bits; }

// Restarts a timer as often as it has expired by now, and returns how often that was.
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

// Each recovery step goes half-way to the rate before the cut; later steps raise that goal too.
void flow_rate::raise(const rate_law& law) {
  if (std::max(rises_by_time_, rises_by_bytes_) > law.recovery_steps)
    goal_ = std::min(goal_ + law.increase, rate_law::whole);
  share_ = (share_ + goal_ + 1) / 2;
}

flow_rates::flow_rates(const compiled_machine& machine, event_queue& events,
                       pool<moving_message>& moving)
    : machine_(machine), events_(events), moving_(moving) {
  for (const auto& layout : machine.net.fabrics)
    laws_.push_back(layout.control ? rate_law(*layout.control, layout.line_rate) : rate_law());
}

std::uint64_t flow_rates::name_of(const moving_message& of) const {
  const std::uint64_t fabric = machine_.paths[of.path].fabric;
  return (fabric * machine_.nodes + of.origin) * machine_.nodes + of.target;
}

std::uint32_t flow_rates::find_or_add(const moving_message& of) {
  const auto [place, is_new] =
      numbers_.try_emplace(name_of(of), static_cast<std::uint32_t>(flows_.size()));
  if (is_new) {
    flow made;
    made.fabric = machine_.paths[of.path].fabric;
    made.way_back = way_back(of);
    flows_.push_back(made);
  }
  return place->second;
}

// Notifications have the highest priority and few bytes, so no queue delays them.
picoseconds flow_rates::way_back(const moving_message& of) const {
  const auto& net = machine_.net;
  const auto fabric = machine_.paths[of.path].fabric;
  const auto& layout = net.fabrics[fabric];
  auto way = plan_route(net, fabric, of.target, of.origin, 0);
  packet_place at{of.target, of.origin, no_index, 0, events_.now()};
  auto time = layout.entry_latency;
  for (auto step = follow(net, layout, way, at); step.link != no_index;
       step = follow(net, layout, way, at)) {
    time += net.kinds[net.links[step.link].kind].delay;
    at.came = step.link;
    at.router = net.links[step.link].to;
    at.channel = step.channel;
  }
  return time;
}

void flow_rates::note_mark(const moving_message& of, picoseconds at) {
  ++marks_;
  const auto index = find_or_add(of);
  auto& one = flows_[index];
  if (at < one.next_notice) return;
  one.next_notice = at + machine_.net.fabrics[one.fabric].control->notify_interval;
  events_.push(at + one.way_back, event_kind::notification, index);
}

void flow_rates::notify(std::uint32_t index) {
  auto& one = flows_[index];
  ++notifications_;
  one.rate.cut(laws_[one.fabric], events_.now());
}

bool flow_rates::keep(std::uint32_t message) {
  if (flows_.empty()) return false;
  const auto found = numbers_.find(name_of(moving_[message]));
  if (found == numbers_.end()) return false;
  auto& one = flows_[found->second];
  advance(one);
  // A message must not overtake earlier kept messages of its flow.
  if (!one.rate.is_limited() && one.first == no_index) return false;
  one.behind.push(moving_, message);
  if (one.first == no_index) go_to_next(one);
  return true;
}

void flow_rates::go_to_next(flow& one) {
  one.first = one.behind.is_empty() ? no_index : one.behind.pop(moving_);
  if (one.first == no_index) return;
  const auto index = static_cast<std::uint32_t>(&one - flows_.data());
  events_.push(std::max(events_.now(), one.next), event_kind::flow_is_due, index);
}

bool flow_rates::is_limited(std::uint32_t index) {
  auto& one = flows_[index];
  advance(one);
  return one.rate.is_limited();
}

std::uint32_t flow_rates::give_back(std::uint32_t index) {
  auto& one = flows_[index];
  return std::exchange(one.first, one.behind.is_empty() ? no_index : one.behind.pop(moving_));
}

void flow_rates::sent(std::uint32_t message, std::uint64_t bytes) {
  const auto& of = moving_[message];
  const auto index = numbers_.at(name_of(of));
  auto& one = flows_[index];
  advance(one);
  one.rate.sent(laws_[one.fabric], bytes);
  const auto& net = machine_.net;
  const auto at_full_rate =
      net.kinds[net.links[net.fabrics[one.fabric].first_link].kind].bytes(bytes);
  __extension__ using wide = __int128;
  const auto gap = static_cast<wide>(at_full_rate) * rate_law::whole / one.rate.share();
  one.next = std::max(one.next, events_.now()) + static_cast<picoseconds>(gap);
  if (of.is_read)
    go_to_next(one);
  else
    events_.push(one.next, event_kind::flow_is_due, index);
}

void flow_rates::count(run_account& sum) const noexcept {
  sum.packets_marked = marks_;
  sum.notifications = notifications_;
}

std::size_t flow_rates::memory_bytes() const noexcept {
  constexpr std::size_t of_entry =
      sizeof(std::pair<std::uint64_t, std::uint32_t>) + 2 * sizeof(void*);
  return flows_.capacity() * sizeof(flow) + numbers_.size() * of_entry;
}

}  // namespace onehop::netsim
