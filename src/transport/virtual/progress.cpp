#include "transport/virtual/progress.hpp"

#include <algorithm>
#include <utility>

namespace onehop::virtual_machine {
namespace {

using netsim::never;
/// A look of a rank that never waits takes this time, when nothing else can happen.
constexpr picoseconds look_time = 1'000'000;

}  // namespace

scheduler::scheduler(int ranks, netsim::network& network,
                     std::function<void(const std::exception&)> failed)
    : network_(network),
      failed_(std::move(failed)),
      earliest_(never),
      ranks_(static_cast<std::size_t>(ranks)) {
  for (int rank = 0; rank < ranks; ++rank) ready_.push_back(rank);
}

void scheduler::retire(int rank) {
  at(rank).now = activity::finished;
  ++finished_;
}

bool scheduler::suspend(int rank, picoseconds until) {
  if (until <= now()) return false;
  member& mine = at(rank);
  mine.now = activity::waiting;
  mine.until = until;
  earliest_ = std::min(earliest_, until);
  return true;
}

void scheduler::defer(int rank) {
  // Time stands still as long as another rank has something to do.
  if (ready_.size() == lookers_ && !run_one()) skipped_ += look_time;
  wake_late();
  at(rank).looks_on = true;
  ++lookers_;
  ready_.push_back(rank);
}

void scheduler::wake(int rank) {
  member& woken = at(rank);
  ++woken.wakes;
  if (woken.now != activity::waiting) return;
  woken.now = activity::ready;
  ready_.push_back(rank);
}

void scheduler::wake_all() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) wake(static_cast<int>(rank));
}

void scheduler::wake_late() {
  if (now() < earliest_) return;
  earliest_ = never;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const member& each = ranks_[rank];
    if (each.now != activity::waiting) continue;
    if (each.until <= now())
      wake(static_cast<int>(rank));
    else
      earliest_ = std::min(earliest_, each.until);
  }
}

bool scheduler::run_one() {
  try {
    return network_.run_one();
  } catch (const std::exception& thrown) {
    failed_(thrown);
    return true;
  }
}

/// Where nothing is under way, time jumps to the first moment that a rank waits for: the end of a
/// pause or a deadline.
void scheduler::advance() {
  if (!run_one()) {
    picoseconds next = never;
    for (const member& each : ranks_)
      if (each.now == activity::waiting) next = std::min(next, each.until);
    skipped_ += std::max<picoseconds>(0, next - now());
  }
  wake_late();
}

int scheduler::choose() {
  if (finished_ == static_cast<int>(ranks_.size())) return -1;
  while (ready_.empty()) advance();
  const int next = ready_.front();
  ready_.pop_front();
  lookers_ -= std::exchange(at(next).looks_on, false) ? 1 : 0;
  return next;
}

}  // namespace onehop::virtual_machine
