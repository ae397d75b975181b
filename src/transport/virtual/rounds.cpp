#include "transport/virtual/rounds.hpp"

#include <algorithm>

#include "transport/virtual/progress.hpp"

namespace onehop::virtual_machine {
namespace {

constexpr unsigned rank_bits = 15, round_bits = 18, number_bits = 16;

/// Of the message `number` from `origin` to `target` in a round.
std::uint64_t key_of(int target, int origin, std::uint64_t round, std::uint32_t number) {
  const std::uint64_t pair =
      static_cast<std::uint64_t>(target) << rank_bits | static_cast<std::uint64_t>(origin);
  return (pair << round_bits | round % (1U << round_bits)) << number_bits | number;
}

collective collective_of(std::uint64_t tag) {
  switch (operation_of(tag)) {
    case operation::barrier:
      return collective::barrier;
    case operation::broadcast:
      return collective::broadcast;
    case operation::allgather:
      return collective::allgather;
    case operation::alltoall:
      return collective::alltoall;
    default:
      return collective::allreduce;
  }
}

}  // namespace

void rounds::enter(int rank, std::uint64_t tag, std::span<const std::byte> message) {
  member& who = at(rank);
  ++who.round;
  part& mine = who.parts[who.round % 2];
  mine.round = who.round;
  mine.tag = tag;
  // Never null, also for nothing.
  mine.said.assign(message.begin(), message.end());
  if (mine.said.empty()) mine.said.resize(1);
  mine.waits_for_root = operation_of(tag) == operation::broadcast;
  mine.is_over = false;
  const common& all = note(rank, who.round, tag, !message.empty());
  if (all.disputed) return progress_.wake_all();
  if (!mine.waits_for_root) return begin(rank, mine);
  begin_broadcast(rank, mine);
}

rounds::common& rounds::note(int rank, std::uint64_t round, std::uint64_t tag, bool speaks) {
  common& all = rounds_[round % 2];
  if (all.round != round) all = {round, tag, 0, -1, false};
  ++all.entered;
  all.disputed |= all.tag != tag;
  if (speaks) all.root = rank;
  return all;
}

/// Who is there before the root waits for it to speak; and all wait for the last to come.
void rounds::begin_broadcast(int rank, part& mine) {
  const common& all = rounds_[mine.round % 2];
  if (all.root == rank) {
    for (int each = 0; each < size(); ++each)
      if (part& theirs = at(each).parts[mine.round % 2];
          theirs.round == mine.round && theirs.waits_for_root)
        begin(each, theirs);
  } else if (all.root >= 0) {
    begin(rank, mine);
  }
  if (all.entered == size()) progress_.wake_all();
}

onehop::transport::posting rounds::seen(int rank, int other) const {
  const part& mine = at(rank).parts[at(rank).round % 2];
  const part& theirs = at(other).parts[mine.round % 2];
  if (mine.round == 0 || theirs.round != mine.round) return {};
  if (!mine.is_over && !rounds_[mine.round % 2].disputed) return {};
  return {theirs.tag, theirs.said.data()};
}

void rounds::begin(int rank, part& mine) {
  const collective what = collective_of(mine.tag);
  const int root = what == collective::broadcast ? rounds_[mine.round % 2].root : 0;
  mine.waits_for_root = false;
  mine.with.clear();
  for (lane& each : mine.lanes) each = {};
  const std::size_t bytes = bytes_of(mine.tag);
  const collective_plan plan = what == collective::alltoall
                                   ? ways_.staged_alltoall_plan(size(), rank, bytes)
                                   : ways_.plan_of(what, size(), rank, bytes, root);
  for (const schedule_step& step : plan.steps) mine.lanes[step.lane].steps.push_back(step);
  mine.by_hosts = plan.by_hosts;
  mine.unread = 0;
  for (lane& each : mine.lanes) each.at = phase::software;
  auto& [first, second] = mine.lanes;
  if (!pause(rank, mine, first, plan.entry, phase::software)) go_on(rank, mine, first);
  go_on(rank, mine, second);
}

std::uint32_t rounds::name(int rank, const part& mine, const lane& now) {
  const bool second = &now == &mine.lanes[1];
  return static_cast<std::uint32_t>(rank) << 2 | (second ? 2U : 0U) |
         static_cast<std::uint32_t>(mine.round % 2);
}

rounds::lane& rounds::named(std::uint32_t what) {
  return at(static_cast<int>(what >> 2)).parts[what % 2].lanes[what >> 1 & 1];
}

/// True when the rank goes on in `then` later.
bool rounds::pause(int rank, part& mine, lane& now, picoseconds time, phase then) {
  now.at = then;
  if (time <= 0) return false;
  post_.remind(post_.network().now() + time, *this, name(rank, mine, now));
  return true;
}

void rounds::go_on(int rank, part& mine, lane& now) {
  while (now.at != phase::done && step(rank, mine, now)) {
  }
}

/// False when it has to wait.
bool rounds::step(int rank, part& mine, lane& now) {
  if (now.next == now.steps.size()) {
    end(rank, mine, now);
    return false;
  }
  const schedule_step& due = now.steps[now.next];
  switch (now.at) {
    case phase::software: {
      if (due.copies != schedule_step::copy::none) {
        copy(rank, mine, now);
        return now.at != phase::copies;
      }
      const bool sends = due.to >= 0 && due.to != rank;
      return !pause(rank, mine, now, sends ? ways_.collective_step() : 0, phase::send);
    }
    case phase::send:
      expect(rank, mine, now);
      if (due.to >= 0) send(rank, mine, now);
      now.at = phase::hear;
      return true;
    case phase::hear:
      if (due.blocks && mine.unread > 0) return false;
      if (due.from >= 0 && !hears(rank, mine, now)) return false;
      return !pause(rank, mine, now, due.combines ? ways_.reduction(due.heard) : 0, phase::sum);
    case phase::sum:
    case phase::copies:
      ++now.next;
      now.at = phase::software;
      return true;
    default:
      return false;
  }
}

void rounds::end(int rank, part& mine, lane& now) {
  now.at = now.copies > 0 ? phase::copies : phase::done;
  leave_if_over(rank, mine);
}

void rounds::leave_if_over(int rank, part& mine) {
  const auto through = [](const lane& each) { return each.at == phase::done; };
  mine.is_over = mine.unread == 0 && std::ranges::all_of(mine.lanes, through);
  if (mine.is_over) progress_.wake(rank);
}

/// Out of the device before the next step; back to it while the next steps go on.
void rounds::copy(int rank, part& mine, lane& now) {
  const schedule_step& due = now.steps[now.next];
  ++now.copies;
  post_.copy(ways_.copy(rank, due.copies, due.bytes), *this, name(rank, mine, now));
  const bool waits = due.copies == schedule_step::copy::out;
  if (!waits) ++now.next;
  now.at = waits ? phase::copies : phase::software;
}

/// A copy is over; one that its lane waits for is the only one.
void rounds::delivered(std::uint32_t what) {
  lane& now = named(what);
  --now.copies;
  if (now.at == phase::copies && now.copies == 0) reminded(what);
}

/// All that is to come before the rank sends again.
void rounds::expect(int rank, part& mine, lane& now) {
  for (; now.expected < now.steps.size(); ++now.expected) {
    const schedule_step& step = now.steps[now.expected];
    if (now.expected > now.next && step.to >= 0) return;
    if (step.from < 0) continue;
    carrier_.expect(key_of(rank, step.from, mine.round, mine.with[step.from].expected++), step.from,
                    rank, ways_.collective_way(mine.by_hosts, step.heard));
  }
}

void rounds::send(int rank, part& mine, const lane& now) {
  const schedule_step& due = now.steps[now.next];
  const schedule_step* before = now.next > 0 ? &now.steps[now.next - 1] : nullptr;
  const bool first = before == nullptr || before->to < 0 || before->from >= 0;
  const std::size_t bytes = due.bytes > 0 ? due.bytes : routes::word_bytes;
  const route& way = ways_.collective_way(mine.by_hosts, due.bytes);
  const std::uint64_t key = key_of(due.to, rank, mine.round, mine.with[due.to].sent++);
  if (way.how.grant) {
    unread_.insert(key);
    ++mine.unread;
  }
  carrier_.send(key, {rank, due.to, bytes, &way, first});
}

void rounds::left(std::uint64_t key) {
  if (unread_.erase(key) == 0) return;
  const auto rank = static_cast<int>(key >> (round_bits + number_bits) & ((1U << rank_bits) - 1));
  const std::uint64_t round = key >> number_bits & ((1U << round_bits) - 1);
  part& mine = at(rank).parts[round % 2];
  if (mine.round % (1U << round_bits) != round) return;
  --mine.unread;
  wake(rank, mine);
  leave_if_over(rank, mine);
}

/// Takes the message that the step is for, if it has come.
bool rounds::hears(int rank, part& mine, const lane& now) {
  const int from = now.steps[now.next].from;
  std::uint32_t& heard = mine.with[from].heard;
  if (arrived_.erase(key_of(rank, from, mine.round, heard)) == 0) return false;
  ++heard;
  return true;
}

void rounds::came(std::uint64_t key) {
  arrived_.insert(key);
  const auto rank = static_cast<int>(key >> (rank_bits + round_bits + number_bits));
  const std::uint64_t round = key >> number_bits & ((1U << round_bits) - 1);
  part& mine = at(rank).parts[round % 2];
  if (mine.round % (1U << round_bits) != round) return;
  wake(rank, mine);
}

void rounds::wake(int rank, part& mine) {
  for (lane& each : mine.lanes)
    if (each.at == phase::hear) go_on(rank, mine, each);
}

void rounds::reminded(std::uint32_t what) {
  const auto rank = static_cast<int>(what >> 2);
  go_on(rank, at(rank).parts[what % 2], named(what));
}

}  // namespace onehop::virtual_machine
