#pragma once
/// These ranks are threads of the conductor's process.

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "machine/turn_taking.hpp"
#include "transport/virtual/conductor.hpp"
#include "transport/virtual/packet_dispatcher.hpp"
#include "transport/virtual/region.hpp"
#include "transport/virtual/team.hpp"

namespace onehop::virtual_machine {

/// A round_memory has the records of the rounds of ranks in one process.
class round_memory {
 public:
  explicit round_memory(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}
  round_table table() noexcept { return {ranks_, common_}; }

 private:
  std::vector<round_record> ranks_;
  std::array<round_common, 2> common_{};
};

/// Threads take turns, and do the conductor's work between two of them.
class thread_machine {
 public:
  /// Throws usage_error for a machine that cannot be, has no such protocols or too few nodes.
  thread_machine(int ranks, machine on);

  job& shared() noexcept { return job_; }
  packet_dispatcher& packets() noexcept { return packets_; }

  /// First call of a rank's thread: waits for its turn. False when there will be no run.
  bool enter(int rank) { return turns_.enter(rank); }
  /// Last call of a rank's thread.
  void finish(int rank);
  /// Called by no rank, once every thread has been started or one could not be.
  void begin() { turns_.begin(job_.progress.choose()); }
  void cancel() { turns_.cancel(); }
  /// Every rank's next wait throws peer_error. May be called by any thread at any time.
  void interrupt() noexcept { interrupted_ = true; }
  /// The rank's deadline has come, and it does not go on.
  void stall(int rank);
  bool has_stalled() const noexcept { return has_stalled_; }

  void throw_if_failed();
  /// Nothing is under way that a rank sent, which has not stopped at its deadline.
  bool is_silent(int rank) const noexcept;
  void wait(int rank, picoseconds until);
  void look(int rank);
  void work(int rank, const kernel_cost& cost) { pass(rank, job_.begin_work(rank, cost)); }
  void drain(int rank) { pass(rank, job_.drain(rank)); }

 private:
  void pass_on(int rank);
  void pass(int rank, picoseconds time);

  job job_;
  packet_dispatcher packets_{job_};
  turn_taking turns_;
  bool has_stalled_ = false;
  std::uint64_t looks_since_stall_ = 0;
  std::atomic<bool> interrupted_ = false;
};

/// The conductor as all ranks of a job see it, or those of a group.
class thread_conductor final : private round_memory, public conductor {
 public:
  /// Throws as thread_machine.
  thread_conductor(int ranks, machine on);
  thread_conductor(thread_machine& on, std::vector<int> members);

  thread_machine& threads() const noexcept { return machine_; }

  picoseconds now() const noexcept override { return machine_.shared().progress.now(); }
  std::uint64_t least_granted_bytes() const override {
    return machine_.shared().ways.least_granted_bytes();
  }
  int node_of(int rank) const override {
    return static_cast<int>(machine_.shared().ways.node_of(team_.member(rank)));
  }
  void throw_if_failed() override { machine_.throw_if_failed(); }
  bool left(int rank) const noexcept override;
  void abandon(int rank, std::string_view reason) noexcept override;
  void leave(int rank) noexcept override;

  memory_id expose(int rank, std::span<const std::size_t> bytes_of_rank) override;
  void withdraw(int rank, memory_id memory) noexcept override;
  std::span<std::byte> share(memory_id memory, int rank) const override {
    return memory_.share(memory, rank);
  }
  memory_id divide(int rank, const partition&) override { return memory_.expose(rank, 0); }
  std::shared_ptr<conductor> join_group(int rank, memory_id divided, const partition& how) override;

  std::unique_ptr<mail> open_mail(int rank) override;

  void ask(int rank, request what) override;
  std::string describe(int rank, memory_id own, std::size_t put) override {
    return team_.shared().ways.describe(team_.side(rank, own).way(put));
  }

  void wait(int rank, picoseconds until) override { machine_.wait(team_.member(rank), until); }
  void look(int rank) override { machine_.look(team_.member(rank)); }
  void work(int rank, const kernel_cost& cost) override { machine_.work(team_.member(rank), cost); }
  void drain(int rank) override { machine_.drain(team_.member(rank)); }

 private:
  std::byte* message_memory(int rank, unsigned parity, std::size_t bytes) override;

  std::unique_ptr<thread_machine> own_;  ///< null for a group
  thread_machine& machine_;
  team team_;
  exposed_shares memory_;
  std::vector<std::array<std::vector<std::byte>, 2>> messages_;
  /// Groups live as long as the whole, for what is under way knows them. By the memory id of their
  /// division and the first rank.
  std::map<std::pair<memory_id, int>, std::shared_ptr<thread_conductor>> groups_;
};

}  // namespace onehop::virtual_machine
