#include "transport/virtual/rounds.hpp"

#include <algorithm>

#include "transport/virtual/progress.hpp"

namespace onehop::virtual_machine {
namespace {

using netsim::collective;

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

bootstrap::posting rounds::seen(int rank, int other) const {
  const part& mine = at(rank).parts[at(rank).round % 2];
  const part& theirs = at(other).parts[mine.round % 2];
  if (mine.round == 0 || theirs.round != mine.round) return {};
  if (!mine.is_over && !rounds_[mine.round % 2].disputed) return {};
  return {theirs.tag, theirs.said.data()};
}

void rounds::begin(int rank, part& mine) {
  const collective what = collective_of(mine.tag);
  const int root = what == collective::broadcast ? rounds_[mine.round % 2].root : 0;
  const std::size_t bytes = bytes_of(mine.tag);
  mine.waits_for_root = false;
  walks_.begin(rank, mine.round,
               what == collective::alltoall ? ways_.staged_alltoall_plan(size(), rank, bytes)
                                            : ways_.plan_of(what, size(), rank, bytes, root));
}

void rounds::through(int rank, std::uint64_t round) {
  at(rank).parts[round % 2].is_over = true;
  progress_.wake(rank);
}

}  // namespace onehop::virtual_machine
