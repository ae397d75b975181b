// When accesses to windows begin and end.

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"
#include "mpi/window.hpp"

namespace onehop::mpi_abi {
void window::wait_for(const std::function<bool()>& done, const std::string& what, int rank) {
  running().wait(done, [&] {
    return std::vector<missing_piece>{
        {comm_->world(rank), text("rank ", rank, " of a window ", what)}};
  });
}

void window::await_answers() {
  wait_for([this] { return answers_ == 0; }, "has not carried out what it was sent",
           (comm_->rank() + 1) % comm_->size());
}

// Packets between two ranks stay in order: the answer comes after all replies.
void window::flush(int rank) {
  if (!used_[slot_of(rank)]) return;
  used_[slot_of(rank)] = false;
  ++answers_;
  say(rank, verb_flush);
  await_answers();
}

void window::flush_all() {
  for (int rank = 0; rank < comm_->size(); ++rank) {
    if (!used_[slot_of(rank)]) continue;
    used_[slot_of(rank)] = false;
    ++answers_;
    say(rank, verb_flush);
  }
  await_answers();
}

void window::fence() {
  flush_all();
  barrier(*comm_);
}

void window::lock(int kind, int rank) {
  if (kind != lock_exclusive && kind != lock_shared)
    throw mpi_error(err_locktype, text("no lock is of type ", kind), comm_);
  if (locked_[slot_of(rank)] != 0)
    throw mpi_error(err_rma_sync, text("rank ", rank, " is locked already"), comm_);
  say(rank, kind == lock_exclusive ? verb_lock_exclusive : verb_lock_shared);
  wait_for([&] { return granted_[slot_of(rank)] > 0; }, "has not granted a lock", rank);
  --granted_[slot_of(rank)];
  locked_[slot_of(rank)] = kind;
}

// What comes before it is carried out before the lock is given back, and so before the answer.
void window::unlock(int rank) {
  if (std::exchange(locked_[slot_of(rank)], 0) == 0)
    throw mpi_error(err_rma_sync, text("rank ", rank, " is not locked"), comm_);
  used_[slot_of(rank)] = false;
  ++answers_;
  say(rank, verb_unlock);
  await_answers();
}

void window::lock_all() {
  for (int rank = 0; rank < comm_->size(); ++rank) lock(lock_shared, rank);
}

void window::unlock_all() {
  for (int rank = 0; rank < comm_->size(); ++rank) unlock(rank);
}

void window::post(const group& origins) {
  const group all{comm_->members()};
  for (const int world : origins.members) say(all.place_of(world), verb_posted);
  exposed_to_ += origins.size();
}

void window::start(const group& targets) {
  const group all{comm_->members()};
  for (const int world : targets.members) {
    const int rank = all.place_of(world);
    wait_for([&] { return posted_[slot_of(rank)] > 0; }, "has not exposed its memory", rank);
    --posted_[slot_of(rank)];
    started_.push_back(rank);
  }
}

void window::complete() {
  flush_all();
  for (const int rank : std::exchange(started_, {})) say(rank, verb_completed);
}

void window::wait() {
  wait_for([this] { return completed_ >= exposed_to_; }, "has not ended its accesses",
           (comm_->rank() + 1) % comm_->size());
  completed_ -= std::exchange(exposed_to_, 0);
}

bool window::test() {
  if (!running().look([this] { return completed_ >= exposed_to_; })) return false;
  completed_ -= std::exchange(exposed_to_, 0);
  return true;
}

}  // namespace onehop::mpi_abi
