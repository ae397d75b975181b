#pragma once
/// Ranks that are threads of the conductor's process.

#include <array>
#include <atomic>
#include <deque>
#include <vector>

#include "machine/baton.hpp"
#include "transport/virtual/conductor.hpp"
#include "transport/virtual/job.hpp"
#include "transport/virtual/region.hpp"

namespace onehop::virtual_machine {

/// The records of the rounds of ranks in one process.
class round_memory {
 public:
  explicit round_memory(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}
  round_table table() noexcept { return {ranks_, common_}; }

 private:
  std::vector<round_record> ranks_;
  std::array<round_common, 2> common_{};
};

/// Threads pass a baton, whose holder runs and does the conductor's work between two turns.
class thread_conductor final : private round_memory, public conductor {
 public:
  /// Throws usage_error for a machine that cannot be, has no such protocols or too few nodes.
  thread_conductor(int ranks, machine on);

  job& shared() noexcept { return job_; }
  const job* owned() const noexcept override { return &job_; }

  /// First call of a rank's thread: waits for the baton. False when there will be no run.
  bool enter(int rank);
  /// Last call of a rank's thread.
  void finish(int rank);
  /// Called by no rank, once every thread has been started or one could not be.
  void begin();
  void cancel();
  /// Every rank's next wait throws peer_error. May be called by any thread at any time.
  void interrupt() noexcept { interrupted_ = true; }
  /// The rank's deadline has come, and it does not go on.
  void stall(int rank);
  bool has_stalled() const noexcept { return has_stalled_; }

  picoseconds now() const noexcept override { return job_.progress.now(); }
  void throw_if_failed() override;
  bool left(int rank) const noexcept override;
  void abandon(int rank, std::string_view reason) noexcept override;
  void leave(int rank) noexcept override { job_.at(rank).departed = true; }

  memory_id expose(int rank, std::span<const std::size_t> bytes_of_rank) override;
  void withdraw(int rank, memory_id memory) noexcept override;
  std::span<std::byte> share(memory_id memory, int rank) const override {
    return memory_.share(memory, rank);
  }

  void add_chain(int rank, memory_id own) override;
  void begin_exchange(int rank, memory_id own) override { job_.side(rank, own).begin(); }
  void fire(int rank, memory_id own, const fired_put& what) override {
    job_.side(rank, own).fire(what);
  }
  std::string describe(int rank, memory_id own, std::size_t put) override {
    return job_.ways.describe(job_.side(rank, own).way(put));
  }

  void wait(int rank, picoseconds until) override;
  void look(int rank) override;
  void work(int rank, const kernel_cost& cost) override;

 private:
  std::byte* message_of(int rank, unsigned parity) override;
  std::byte* message_memory(int rank, unsigned parity, std::size_t bytes) override;
  void enter_round(int rank) override { job_.talk.enter(rank); }
  void pass_on(int rank);
  baton& baton_of(int rank) { return batons_[static_cast<std::size_t>(rank)]; }

  job job_;
  exposed_shares memory_;
  std::vector<std::array<std::vector<std::byte>, 2>> messages_;
  std::deque<baton> batons_;
  bool cancelled_ = false, has_stalled_ = false;
  std::uint64_t looks_since_stall_ = 0;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace onehop::virtual_machine
