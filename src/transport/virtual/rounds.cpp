#include "transport/virtual/rounds.hpp"

#include <algorithm>

#include "transport/virtual/progress.hpp"

namespace onehop::virtual_machine {
namespace {

/// A message of a round names its target, its origin and whether the round is odd.
constexpr std::uint32_t rank_bits = 15;
constexpr std::uint32_t rank_mask = (1U << rank_bits) - 1;

std::uint32_t name(int target, int origin, std::uint64_t round) {
  return static_cast<std::uint32_t>(target) << (rank_bits + 1) |
         static_cast<std::uint32_t>(origin) << 1 | static_cast<std::uint32_t>(round % 2);
}
int target_of(std::uint32_t what) { return static_cast<int>(what >> (rank_bits + 1)); }
int origin_of(std::uint32_t what) { return static_cast<int>(what >> 1 & rank_mask); }

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
  // What comes from now on with the other parity belongs to the round after this one.
  who.parts[who.round % 2].heard.clear();
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
  mine.next = 0;
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
  post_.remind(post_.network().now() + time, *this, name(rank, rank, mine.round));
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
      if (now.to >= 0) {
        const bool first = mine.next == 0 || mine.steps[mine.next - 1].to < 0 ||
                           mine.steps[mine.next - 1].from >= 0;
        post_.send(ways_.collective_message(rank, now.to, now.bytes, first), *this,
                   name(now.to, rank, mine.round));
      }
      mine.at = phase::hear;
      return true;
    case phase::hear:
      if (now.from >= 0 && !hears(mine, now.from)) return false;
      return !pause(rank, mine, now.combines ? ways_.reduction(now.bytes) : 0, phase::sum);
    case phase::sum:
      ++mine.next;
      mine.at = phase::software;
      return true;
    default:
      return false;
  }
}

/// Takes one message from there, if one has come.
bool rounds::hears(part& mine, int from) {
  const auto found = std::ranges::find(mine.heard, from, &std::pair<int, int>::first);
  if (found == mine.heard.end() || found->second == 0) return false;
  --found->second;
  return true;
}

void rounds::delivered(std::uint32_t what) {
  const int rank = target_of(what), from = origin_of(what);
  part& mine = at(rank).parts[what % 2];
  const auto found = std::ranges::find(mine.heard, from, &std::pair<int, int>::first);
  if (found == mine.heard.end())
    mine.heard.emplace_back(from, 1);
  else
    ++found->second;
  const bool entered = at(rank).round > 0 && at(rank).round % 2 == what % 2;
  if (entered && mine.at == phase::hear) go_on(rank, mine);
}

void rounds::reminded(std::uint32_t what) {
  const int rank = target_of(what);
  go_on(rank, at(rank).parts[what % 2]);
}

}  // namespace onehop::virtual_machine
