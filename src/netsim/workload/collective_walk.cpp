#include "netsim/workload/collective_walk.hpp"

#include <algorithm>
#include <onehop/error.hpp>
#include <vector>

#include "base/text.hpp"

namespace onehop::netsim {
namespace {

class collective_run final : public walk_listener {
 public:
  collective_run(const machine_description& machine, const rank_memory& where, collective what,
                 int ranks, std::size_t bytes)
      : ways_(machine, where), dispatcher_(machine), walks_(ranks, dispatcher_, ways_, *this) {
    for (int rank = 0; rank < ranks; ++rank)
      plans_.push_back(ways_.plan_of(what, ranks, rank, bytes));
  }

  picoseconds time_of(std::uint64_t round) {
    const picoseconds begin = dispatcher_.net().now();
    through_ = 0;
    for (std::size_t rank = 0; rank < plans_.size(); ++rank)
      walks_.begin(static_cast<int>(rank), round, plans_[rank]);
    dispatcher_.net().run();
    if (through_ < plans_.size()) throw error("a rank of a collective waits for what nobody sends");
    return last_ - begin;
  }

  void through(int, std::uint64_t) override {
    ++through_;
    last_ = dispatcher_.net().now();
  }

 private:
  routes ways_;
  dispatcher dispatcher_;
  collective_walks walks_;
  std::vector<collective_plan> plans_;
  std::size_t through_ = 0;
  picoseconds last_ = 0;
};

/// A message is named by its ranks, the round (only two are in progress at a time), and its number
/// among the messages from the origin to the target.
constexpr unsigned rank_bits = 22, round_bits = 4, number_bits = 16;

std::uint64_t low(std::uint64_t value, unsigned bits) {
  return value & ((std::uint64_t{1} << bits) - 1);
}

std::uint64_t key_of(int target, int origin, std::uint64_t round, std::uint32_t number) {
  if (number >> number_bits != 0)
    throw usage_error(text("a collective sends more than ", 1U << number_bits,
                           " messages from rank ", origin, " to rank ", target,
                           "; give its row larger segments"));
  const std::uint64_t pair =
      static_cast<std::uint64_t>(target) << rank_bits | static_cast<std::uint64_t>(origin);
  return (pair << round_bits | low(round, round_bits)) << number_bits | number;
}
std::uint64_t round_of(std::uint64_t key) { return low(key >> number_bits, round_bits); }
int origin_of(std::uint64_t key) {
  return static_cast<int>(low(key >> (round_bits + number_bits), rank_bits));
}
int target_of(std::uint64_t key) {
  return static_cast<int>(key >> (rank_bits + round_bits + number_bits));
}

}  // namespace

picoseconds collective_time(const machine_description& machine, const rank_memory& where,
                            collective what, int ranks, std::size_t bytes) {
  collective_run run(machine, where, what, ranks, bytes);
  run.time_of(1);
  return run.time_of(2);
}

void collective_walks::begin(int rank, std::uint64_t round, const collective_plan& plan) {
  walk& mine = at(rank, round);
  mine.rank = rank;
  mine.round = round;
  mine.by_hosts = plan.by_hosts;
  mine.copy_out = plan.copy_out;
  mine.copy_in = plan.copy_in;
  mine.unread = 0;
  mine.with.clear();
  for (step_lane& each : mine.lanes) {
    each.steps.clear();
    each.next = each.expected = 0;
    each.at = phase::software;
  }
  for (const schedule_step& step : plan.steps) mine.lanes[step.lane].steps.push_back(step);
  auto& [first, second] = mine.lanes;
  if (!pause(mine, first, plan.entry, phase::software)) go_on(mine, first);
  go_on(mine, second);
}

std::uint32_t collective_walks::name(const walk& mine, const step_lane& now) {
  const bool second = &now == &mine.lanes[1];
  return static_cast<std::uint32_t>(mine.rank) << 2 | (second ? 2U : 0U) |
         static_cast<std::uint32_t>(mine.round % 2);
}

/// Returns true if the rank continues later, in phase `then`.
bool collective_walks::pause(walk& mine, step_lane& now, picoseconds time, phase then) {
  now.at = then;
  if (time <= 0) return false;
  dispatcher_.remind(dispatcher_.net().now() + time, *this, name(mine, now));
  return true;
}

void collective_walks::go_on(walk& mine, step_lane& now) {
  while (now.at != phase::done && step(mine, now)) {
  }
}

/// Does the next step; returns false if it has to wait.
bool collective_walks::step(walk& mine, step_lane& now) {
  if (now.next == now.steps.size()) {
    end(mine, now);
    return false;
  }
  const schedule_step& due = now.steps[now.next];
  switch (now.at) {
    case phase::software: {
      if (due.copies != schedule_step::copy::none) {
        copy(mine, now);
        return now.at != phase::copies;
      }
      const bool sends = due.to >= 0 && due.to != mine.rank;
      return !pause(mine, now, sends ? ways_.collective_step() : 0, phase::send);
    }
    case phase::send:
      expect(mine, now);
      if (due.to >= 0) send(mine, now);
      now.at = phase::hear;
      return true;
    case phase::hear:
      if ((due.blocks || due.awaits_source) && mine.unread > 0) return false;
      if (due.from >= 0 && !hears(mine, now)) return false;
      return !pause(mine, now, due.combines ? ways_.reduction(due.heard) : 0, phase::sum);
    case phase::sum:
    case phase::copies:
      ++now.next;
      now.at = phase::software;
      return true;
    default:
      return false;
  }
}

void collective_walks::end(walk& mine, step_lane& now) {
  now.at = now.copies > 0 ? phase::copies : phase::done;
  tell_if_through(mine);
}

void collective_walks::tell_if_through(walk& mine) {
  const auto is_done = [](const step_lane& each) { return each.at == phase::done; };
  if (mine.unread == 0 && std::ranges::all_of(mine.lanes, is_done))
    who_.through(mine.rank, mine.round);
}

/// Begins a copy: out of the device, before the next step, or back to it, while the next steps
/// proceed.
void collective_walks::copy(walk& mine, step_lane& now) {
  const schedule_step& due = now.steps[now.next];
  ++now.copies;
  const bool waits = due.copies == schedule_step::copy::out;
  dispatcher_.copy(
      ways_.copy(member(mine.rank), due.copies, due.bytes, waits ? mine.copy_out : mine.copy_in),
      *this, name(mine, now));
  if (!waits) ++now.next;
  now.at = waits ? phase::copies : phase::software;
}

/// Records that a copy has ended; a copy that a lane waits for is its only one.
void collective_walks::delivered(std::uint32_t name) {
  step_lane& now = at(static_cast<int>(name >> 2), name % 2).lanes[name >> 1 & 1];
  --now.copies;
  if (now.at == phase::copies && now.copies == 0) reminded(name);
}

/// Announces to the handshakes all messages that are due before the rank sends again.
void collective_walks::expect(walk& mine, step_lane& now) {
  for (; now.expected < now.steps.size(); ++now.expected) {
    const schedule_step& step = now.steps[now.expected];
    if (now.expected > now.next && step.to >= 0) return;
    if (step.from < 0) continue;
    handshakes_.expect(
        key_of(mine.rank, step.from, mine.round, mine.with[step.from].expected++),
        member(step.from), member(mine.rank),
        ways_.collective_way(mine.by_hosts, step.heard, {member(step.from), member(mine.rank)}));
  }
}

void collective_walks::send(walk& mine, const step_lane& now) {
  const schedule_step& due = now.steps[now.next];
  const auto goes_on = [](const schedule_step& step) { return step.to >= 0 && step.from < 0; };
  const bool first = now.next == 0 || !goes_on(now.steps[now.next - 1]);
  const std::size_t bytes = due.bytes > 0 ? due.bytes : routes::word_bytes;
  const protocol& way =
      ways_.collective_way(mine.by_hosts, due.bytes, {member(mine.rank), member(due.to)});
  const std::uint64_t key = key_of(due.to, mine.rank, mine.round, mine.with[due.to].sent++);
  if (way.grant >= 0 || due.awaits_source) {
    unread_.insert(key);
    ++mine.unread;
  }
  handshakes_.send(key, {member(mine.rank), member(due.to), bytes, &way, first});
}

void collective_walks::left(std::uint64_t key) {
  if (unread_.erase(key) == 0) return;
  walk& mine = at(origin_of(key), round_of(key));
  if (low(mine.round, round_bits) != round_of(key)) return;
  --mine.unread;
  wake(mine);
  tell_if_through(mine);
}

/// Takes the message that the step needs; returns whether it has come.
bool collective_walks::hears(walk& mine, const step_lane& now) {
  const int from = now.steps[now.next].from;
  std::uint32_t& heard = mine.with[from].heard;
  if (arrived_.erase(key_of(mine.rank, from, mine.round, heard)) == 0) return false;
  ++heard;
  return true;
}

void collective_walks::came(std::uint64_t key) {
  arrived_.insert(key);
  walk& mine = at(target_of(key), round_of(key));
  if (low(mine.round, round_bits) == round_of(key)) wake(mine);
}

void collective_walks::wake(walk& mine) {
  for (step_lane& each : mine.lanes)
    if (each.at == phase::hear) go_on(mine, each);
}

void collective_walks::reminded(std::uint32_t name) {
  walk& mine = at(static_cast<int>(name >> 2), name % 2);
  go_on(mine, mine.lanes[name >> 1 & 1]);
}

}  // namespace onehop::netsim
