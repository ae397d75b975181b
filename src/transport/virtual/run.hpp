#pragma once
/// Ranks run on a virtual machine here.

#include <exception>
#include <functional>
#include <iosfwd>
#include <memory>
#include <onehop/context.hpp>
#include <string>
#include <vector>

#include "transport/virtual/threads.hpp"

namespace onehop::virtual_machine {

/// ranks are the ranks of one job, each on a thread that the owner starts and that calls enter,
/// join, (the rank's program), leave.
class ranks {
 public:
  /// The constructor throws usage_error for a machine that cannot be, has no such protocols or too
  /// few nodes.
  ranks(int count, machine on);

  int count() const noexcept { return machine_->size(); }
  const job& shared() const noexcept { return machine_->threads().shared(); }

  /// Starts the run once every thread has been started; cancel ends it where one could not be.
  /// Neither is called by a rank.
  void begin() { machine_->threads().begin(); }
  void cancel() { machine_->threads().cancel(); }

  /// Waits for the rank's first turn. Returns false when there will be none.
  bool enter(int rank) { return machine_->threads().enter(rank); }
  onehop::context join(int rank) const;
  /// Notes that the rank's deadline has come: the others have until theirs to say whom they wait
  /// for.
  void stall(int rank, const std::string& waited);
  /// Notes that the rank's program failed: the others' next wait throws peer_error with the reason.
  void fail(int rank, const std::string& reason);
  /// Makes every rank's next wait throw peer_error. May be called by any thread at any time.
  void interrupt() noexcept { machine_->threads().interrupt(); }
  /// Notes that the rank's program is over.
  void leave(int rank);
  /// Returns what all ranks waited for in the end; empty when none reached its deadline.
  const std::string& deadlock() const noexcept { return waits_; }
  bool has_stalled() const noexcept { return machine_->threads().has_stalled(); }

  /// Returns virtual time; called by the rank whose turn it is, or when all have left.
  double now_us() const noexcept { return static_cast<double>(machine_->now()) * 1e-6; }

 private:
  std::shared_ptr<thread_conductor> machine_;
  std::string waits_;
};

/// Runs `body` as `count` ranks. Rethrows the first exception of any rank once all have stopped; a
/// deadlock is a timeout_error at once that says for every rank whom it waits for.
void run(int count, const machine& on, const std::function<void(onehop::context)>& body);

}  // namespace onehop::virtual_machine
