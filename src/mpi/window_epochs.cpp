// Epochs of windows: how accesses begin, and how they complete.

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

// Packets between two ranks stay in order, so the answer arrives after all replies.
void window::ask(int rank) {
  if (std::exchange(owed_[slot_of(rank)], owed::nothing) != owed::answer) return;
  ++answers_;
  say(rank, verb_flush);
}

void window::await_answers() {
  wait_for([this] { return answers_ == 0; }, "has not carried out what it was sent",
           (comm_->rank() + 1) % comm_->size());
}

void window::flush(int rank) {
  ask(rank);
  await_answers();
  await_replies(rank);
}

void window::flush_all() {
  for (int rank = 0; rank < comm_->size(); ++rank) ask(rank);
  await_answers();
  for (int rank = 0; rank < comm_->size(); ++rank) await_replies(rank);
}

void window::await_replies(int rank) {
  wait_for([&] { return reading_[slot_of(rank)] == 0; }, "has not sent what was read", rank);
}

// A rank may start any number of accesses, but neither side may accumulate data that the other does
// not take: the target would accumulate replies, and the origin packets.
void window::await_room(int rank, std::size_t bytes) {
  constexpr std::size_t most_coming = std::size_t{4} << 20, most_packets = 64;
  if (coming_ > 0 && coming_ + bytes > most_coming)
    wait_for([&] { return coming_ == 0 || coming_ + bytes <= most_coming; },
             "has not sent what was read", rank);
  const int world = comm_->world(rank);
  if (running().waiting_packets(world) >= most_packets)
    wait_for([&] { return running().waiting_packets(world) < most_packets; },
             "does not take what it is sent", rank);
}

void window::require_epoch(int rank) {
  if (locked_[slot_of(rank)] != 0) return;
  if (has_started_) {
    if (std::ranges::find(started_, rank) != started_.end()) return;
    throw mpi_error(err_rma_sync, text("MPI_Win_start has not named rank ", rank), comm_);
  }
  if (fenced_ == fenced::nothing)
    throw mpi_error(err_rma_sync,
                    text("no epoch allows accesses to rank ", rank,
                         ": call MPI_Win_fence, MPI_Win_start or MPI_Win_lock before"),
                    comm_);
  fenced_ = fenced::accessed;
}

/// A fence without accesses after it has not begun an epoch.
void window::begin_accesses() {
  require_complete();
  if (fenced_ == fenced::accessed)
    throw mpi_error(err_rma_sync, "no MPI_Win_fence has ended accesses after the last one", comm_);
  fenced_ = fenced::nothing;
}

void window::drain() {
  flush_all();
  barrier(*comm_);
}

void window::fence(bool opens) {
  require_complete();
  require_all_unlocked();
  drain();
  fenced_ = opens ? fenced::accesses : fenced::nothing;
}

void window::end_epochs() {
  require_complete();
  require_all_unlocked();
  if (has_posted_)
    throw mpi_error(err_rma_sync, "MPI_Win_post was called without MPI_Win_wait", comm_);
  drain();
}

void window::require_complete() const {
  if (has_started_)
    throw mpi_error(err_rma_sync, "MPI_Win_start was called without MPI_Win_complete", comm_);
}

void window::require_unlocked(int rank) const {
  if (locked_[slot_of(rank)] != 0)
    throw mpi_error(err_rma_sync, text("rank ", rank, " is locked"), comm_);
}

void window::require_all_unlocked() const {
  for (int rank = 0; rank < comm_->size(); ++rank) require_unlocked(rank);
}

void window::require_locked(int rank) const {
  const bool is_any = rank < 0;
  const auto held = [](int kind) { return kind != 0; };
  if (is_any ? std::ranges::any_of(locked_, held) : held(locked_[slot_of(rank)])) return;
  throw mpi_error(err_rma_sync,
                  is_any ? "no rank is locked" : text("rank ", rank, " is not locked"), comm_);
}

void window::lock(int kind, int rank, bool checked) {
  if (kind != lock_exclusive && kind != lock_shared)
    throw mpi_error(err_locktype, text("no lock is of type ", kind), comm_);
  require_unlocked(rank);
  begin_accesses();
  if (!checked) {
    locked_[slot_of(rank)] = promised;
    return;
  }
  say(rank, kind == lock_exclusive ? verb_lock_exclusive : verb_lock_shared);
  await_grant(rank, kind);
}

// When the lock is granted, everything sent to the target before has been carried out.
void window::await_grant(int rank, int kind) {
  wait_for([&] { return granted_[slot_of(rank)] > 0; }, "has not granted a lock", rank);
  --granted_[slot_of(rank)];
  locked_[slot_of(rank)] = kind;
  owed_[slot_of(rank)] = owed::nothing;
}

/// Returns whether the rank had granted the lock.
bool window::release(int rank) {
  const int kind = std::exchange(locked_[slot_of(rank)], 0);
  if (kind == 0) throw mpi_error(err_rma_sync, text("rank ", rank, " is not locked"), comm_);
  if (kind != promised) say(rank, verb_unlock);
  return kind != promised;
}

// The target releases the lock after everything sent before has been carried out. No rank waits for
// that, but the window cannot end earlier, since a flush asks for an answer.
void window::unlock(int rank) {
  const bool granted = release(rank);
  const bool answers = owed_[slot_of(rank)] == owed::answer;
  flush(rank);
  if (granted && !answers) owed_[slot_of(rank)] = owed::answer;
}

void window::lock_all(bool checked) {
  require_all_unlocked();
  begin_accesses();
  if (!checked) {
    std::ranges::fill(locked_, promised);
    return;
  }
  for (int rank = 0; rank < comm_->size(); ++rank) say(rank, verb_lock_shared);
  for (int rank = 0; rank < comm_->size(); ++rank) await_grant(rank, lock_shared);
}

void window::unlock_all() {
  std::vector<bool> granted;
  for (int rank = 0; rank < comm_->size(); ++rank) granted.push_back(release(rank));
  const std::vector<owed> before = owed_;
  flush_all();
  for (std::size_t rank = 0; rank < before.size(); ++rank)
    if (granted[rank] && before[rank] != owed::answer) owed_[rank] = owed::answer;
}

namespace {

/// Returns the ranks of a group as ranks of the window.
std::vector<int> places_in(const communicator_ptr& comm, const group& some) {
  const group all{comm->members()};
  std::vector<int> places;
  for (const int world : some.members) {
    places.push_back(all.place_of(world));
    if (places.back() == undefined)
      throw mpi_error(err_group, text("the window does not have rank ", world, " of the job"),
                      comm);
  }
  return places;
}

}  // namespace

void window::post(const group& origins) {
  const std::vector<int> ranks = places_in(comm_, origins);
  if (has_posted_) throw mpi_error(err_rma_sync, "the memory is exposed already", comm_);
  has_posted_ = true;
  for (const int rank : ranks) say(rank, verb_posted);
  exposed_to_ += origins.size();
}

void window::start(const group& targets) {
  const std::vector<int> ranks = places_in(comm_, targets);
  require_all_unlocked();
  begin_accesses();
  has_started_ = true;
  for (const int rank : ranks) {
    wait_for([&] { return posted_[slot_of(rank)] > 0; }, "has not exposed its memory", rank);
    --posted_[slot_of(rank)];
    started_.push_back(rank);
  }
}

// The target learns of the end after everything sent to it before, and waits for this message.
void window::complete() {
  if (!std::exchange(has_started_, false))
    throw mpi_error(err_rma_sync, "called without MPI_Win_start", comm_);
  for (const int rank : std::exchange(started_, {})) {
    say(rank, verb_completed);
    owed_[slot_of(rank)] = owed::nothing;
    await_replies(rank);
  }
}

void window::wait() {
  require_posted();
  wait_for([this] { return completed_ >= exposed_to_; }, "has not ended its accesses",
           (comm_->rank() + 1) % comm_->size());
  end_exposure();
}

void window::require_posted() const {
  if (!has_posted_) throw mpi_error(err_rma_sync, "called without MPI_Win_post", comm_);
}
void window::end_exposure() {
  completed_ -= std::exchange(exposed_to_, 0);
  has_posted_ = false;
}

bool window::test() {
  require_posted();
  if (!running().look([this] { return completed_ >= exposed_to_; })) return false;
  end_exposure();
  return true;
}

}  // namespace onehop::mpi_abi
