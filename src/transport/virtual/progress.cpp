#include "transport/virtual/progress.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace onehop::virtual_machine {
namespace {

constexpr picoseconds never = std::numeric_limits<picoseconds>::max();
/// More than rma looks before it waits.
constexpr int patient_looks = 100;
/// What a look of a rank takes that never waits, when nothing else can happen.
constexpr picoseconds look_time = 1'000'000;

}  // namespace

director::director(int ranks, netsim::network& network,
                   std::function<void(const std::exception&)> failed)
    : network_(network),
      failed_(std::move(failed)),
      earliest_(never),
      ranks_(static_cast<std::size_t>(ranks)) {
  for (int rank = 0; rank < ranks; ++rank) ready_.push_back(rank);
}

bool director::enter(int rank) {
  at(rank).baton.acquire();
  return !cancelled_;
}

void director::begin() { at(choose()).baton.release(); }

void director::cancel() {
  cancelled_ = true;
  for (place& each : ranks_) each.baton.release();
}

void director::finish(int rank) {
  at(rank).what = state::finished;
  ++finished_;
  if (const int next = choose(); next >= 0) at(next).baton.release();
}

void director::wait(int rank, picoseconds until) {
  place& mine = at(rank);
  mine.looks = 0;
  if (until <= now()) return;
  mine.what = state::waiting;
  mine.until = until;
  earliest_ = std::min(earliest_, until);
  pass_on(rank);
}

void director::look(int rank) {
  place& mine = at(rank);
  if (++mine.looks < patient_looks) return;
  mine.looks = 0;
  // Time stands still as long as another has something to do.
  if (ready_.size() == lookers_ && !run_one()) skipped_ += look_time;
  wake_late();
  mine.looks_on = true;
  ++lookers_;
  ready_.push_back(rank);
  pass_on(rank);
}

void director::wake(int rank) {
  place& woken = at(rank);
  if (woken.what != state::waiting) return;
  woken.what = state::ready;
  ready_.push_back(rank);
}

void director::wake_all() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) wake(static_cast<int>(rank));
}

void director::wake_late() {
  if (now() < earliest_) return;
  earliest_ = never;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const place& each = ranks_[rank];
    if (each.what != state::waiting) continue;
    if (each.until <= now())
      wake(static_cast<int>(rank));
    else
      earliest_ = std::min(earliest_, each.until);
  }
}

bool director::run_one() {
  try {
    return network_.run_one();
  } catch (const std::exception& thrown) {
    failed_(thrown);
    return true;
  }
}

/// Where nothing is under way, time jumps to the first moment that a rank waits for: the end of a
/// pause or a deadline.
void director::advance() {
  if (!run_one()) {
    picoseconds next = never;
    for (const place& each : ranks_)
      if (each.what == state::waiting) next = std::min(next, each.until);
    skipped_ += std::max<picoseconds>(0, next - now());
  }
  wake_late();
}

int director::choose() {
  if (finished_ == static_cast<int>(ranks_.size())) return -1;
  while (ready_.empty()) advance();
  const int next = ready_.front();
  ready_.pop_front();
  lookers_ -= std::exchange(at(next).looks_on, false) ? 1 : 0;
  return next;
}

void director::pass_on(int rank) {
  const int next = choose();
  if (next == rank) return;
  at(next).baton.release();
  at(rank).baton.acquire();
}

}  // namespace onehop::virtual_machine
