#include "transport/virtual/rounds.hpp"

#include "rma/round_tag.hpp"
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
    case operation::split:
      return collective::allgather;
    case operation::alltoall:
      return collective::alltoall;
    default:
      return collective::allreduce;
  }
}

}  // namespace

round_part& round_table::enter(int rank, std::uint64_t tag, bool is_free) const {
  round_record& who = at(rank);
  ++who.round;
  return who.parts[who.round % 2] = {who.round, tag, operation_of(tag) == operation::broadcast, 0,
                                     is_free};
}

const round_part* round_table::seen(int rank, int other) const {
  const round_part& mine = part(rank);
  const round_part& theirs = at(other).parts[mine.round % 2];
  if (mine.round == 0 || theirs.round != mine.round) return nullptr;
  const round_common& all = common[mine.round % 2];
  const bool disputed = all.round == mine.round && all.disputed != 0;
  return mine.is_over != 0 || disputed ? &theirs : nullptr;
}

void rounds::enter(int rank) {
  round_part& mine = table_.part(rank);
  const round_common& all = note(rank, mine);
  if (all.disputed != 0) return progress_.wake_all();
  if (mine.is_free != 0) return enter_free(mine.round, all);
  if (mine.waits_for_root == 0) return begin(rank, mine);
  begin_broadcast(rank, mine);
}

round_common& rounds::note(int rank, const round_part& mine) {
  round_common& all = table_.common[mine.round % 2];
  if (all.round != mine.round) all = {mine.round, mine.tag, 0, -1, 0};
  ++all.entered;
  if (all.tag != mine.tag) all.disputed = 1;
  if (operation_of(mine.tag) == operation::broadcast && root_of(mine.tag) == rank) all.root = rank;
  return all;
}

/// All ranks are through as soon as the last of them has come.
void rounds::enter_free(std::uint64_t round, const round_common& all) {
  if (all.entered < size()) return;
  for (int each = 0; each < size(); ++each) through(each, round);
}

/// Ranks that come before the root wait for its message; and all wait for the last to come.
void rounds::begin_broadcast(int rank, round_part& mine) {
  const round_common& all = table_.common[mine.round % 2];
  if (all.root == rank) {
    for (int each = 0; each < size(); ++each)
      if (round_part& theirs = table_.at(each).parts[mine.round % 2];
          theirs.round == mine.round && theirs.waits_for_root != 0)
        begin(each, theirs);
  } else if (all.root >= 0) {
    begin(rank, mine);
  }
  if (all.entered == size()) progress_.wake_all();
}

void rounds::begin(int rank, round_part& mine) {
  const collective what = collective_of(mine.tag);
  const int root = what == collective::broadcast ? table_.common[mine.round % 2].root : 0;
  const std::size_t bytes = bytes_of(mine.tag);
  mine.waits_for_root = 0;
  walks_.begin(rank, mine.round, ways_.plan_of(what, size(), rank, bytes, root));
}

void rounds::through(int rank, std::uint64_t round) {
  table_.at(rank).parts[round % 2].is_over = 1;
  progress_.wake(members_[static_cast<std::size_t>(rank)]);
}

}  // namespace onehop::virtual_machine
