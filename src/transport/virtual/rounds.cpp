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

/// Of a pause of a rank.
std::uint32_t name(int rank, std::uint64_t round) {
  return static_cast<std::uint32_t>(rank) << 1 | static_cast<std::uint32_t>(round % 2);
}

collective collective_of(std::uint64_t tag) {
  switch (operation_of(tag)) {
    case operation::barrier:
      return collective::barrier;
    case operation::broadcast:
      return collective::broadcast;
    case operation::allgather:
      return collective::allgather;
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
  mine.at = phase::waiting_for_root;
  const common& all = note(rank, who.round, tag, !message.empty());
  if (all.disputed) return progress_.wake_all();
  if (operation_of(tag) != operation::broadcast) return begin(rank, mine);
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
          theirs.round == mine.round && theirs.at == phase::waiting_for_root)
        begin(each, theirs);
  } else if (all.root >= 0) {
    begin(rank, mine);
  }
  if (all.entered == size()) progress_.wake_all();
}

wire::posting rounds::seen(int rank, int other) const {
  const part& mine = at(rank).parts[at(rank).round % 2];
  const part& theirs = at(other).parts[mine.round % 2];
  if (mine.round == 0 || theirs.round != mine.round) return {};
  if (mine.at != phase::done && !rounds_[mine.round % 2].disputed) return {};
  return {theirs.tag, theirs.said.data()};
}

void rounds::begin(int rank, part& mine) {
  const collective what = collective_of(mine.tag);
  const int root = what == collective::broadcast ? rounds_[mine.round % 2].root : 0;
  mine.steps = ways_.steps_of(what, size(), rank, bytes_of(mine.tag), root);
  mine.next = mine.expected = 0;
  mine.with.clear();
  mine.at = phase::software;
  // Only what begins with data of the rank's own has to bring them where they are sent from.
  const bool own_part = what == collective::allgather || what == collective::allreduce;
  const picoseconds entry = own_part ? ways_.collective_entry() : 0;
  if (!pause(rank, mine, entry, phase::software)) go_on(rank, mine);
}

/// True when the rank goes on in `then` later.
bool rounds::pause(int rank, part& mine, picoseconds time, phase then) {
  mine.at = then;
  if (time <= 0) return false;
  post_.remind(post_.network().now() + time, *this, name(rank, mine.round));
  return true;
}

void rounds::go_on(int rank, part& mine) {
  while (mine.at != phase::done && step(rank, mine)) {
  }
}

/// False when it has to wait.
bool rounds::step(int rank, part& mine) {
  if (mine.next == mine.steps.size()) {
    mine.at = phase::done;
    progress_.wake(rank);
    return false;
  }
  const schedule_step& now = mine.steps[mine.next];
  switch (mine.at) {
    case phase::software:
      return !pause(rank, mine, now.to < 0 ? 0 : ways_.collective_step(), phase::send);
    case phase::send:
      expect(rank, mine);
      if (now.to >= 0) send(rank, mine);
      mine.at = phase::hear;
      return true;
    case phase::hear:
      if (now.from >= 0 && !hears(rank, mine)) return false;
      return !pause(rank, mine, now.combines ? ways_.reduction(now.bytes) : 0, phase::sum);
    case phase::sum:
      ++mine.next;
      mine.at = phase::software;
      return true;
    default:
      return false;
  }
}

/// All that is to come before the rank sends again.
void rounds::expect(int rank, part& mine) {
  for (; mine.expected < mine.steps.size(); ++mine.expected) {
    const schedule_step& step = mine.steps[mine.expected];
    if (mine.expected > mine.next && step.to >= 0) return;
    if (step.from < 0) continue;
    carrier_.expect(key_of(rank, step.from, mine.round, mine.with[step.from].expected++), step.from,
                    rank, ways_.collective_way(step.heard));
  }
}

void rounds::send(int rank, part& mine) {
  const schedule_step& now = mine.steps[mine.next];
  const schedule_step* before = mine.next > 0 ? &mine.steps[mine.next - 1] : nullptr;
  const bool first = before == nullptr || before->to < 0 || before->from >= 0;
  const std::size_t bytes = now.bytes > 0 ? now.bytes : routes::word_bytes;
  carrier_.send(key_of(now.to, rank, mine.round, mine.with[now.to].sent++),
                {rank, now.to, bytes, &ways_.collective_way(now.bytes), first});
}

/// Takes the message that the step is for, if it has come.
bool rounds::hears(int rank, part& mine) {
  const int from = mine.steps[mine.next].from;
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
  if (mine.round % (1U << round_bits) == round && mine.at == phase::hear) go_on(rank, mine);
}

void rounds::reminded(std::uint32_t what) {
  const auto rank = static_cast<int>(what >> 1);
  go_on(rank, at(rank).parts[what % 2]);
}

}  // namespace onehop::virtual_machine
