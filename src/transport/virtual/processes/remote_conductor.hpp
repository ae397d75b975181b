#pragma once
/// A remote_conductor is the conductor as a rank sees it that is a process of its own, for all
/// ranks of the job or for a group of them.

#include <array>
#include <memory>
#include <optional>

#include "transport/stores/arena.hpp"
#include "transport/stores/region.hpp"
#include "transport/virtual/conductor.hpp"
#include "transport/virtual/processes/rank.hpp"
#include "transport/virtual/processes/shared_block.hpp"

namespace onehop::virtual_machine {

/// All ranks have the whole segment, a group a range of it; within it they are one's own ranks. The
/// process takes its turns as a rank of the job, whichever group calls.
class remote_conductor final : public conductor {
 public:
  /// The constructor joins the job as `rank`, and throws as rank_process.
  remote_conductor(const std::shared_ptr<stores::arena>& memory, int rank);
  /// This constructor joins the group that has this range of the segment.
  remote_conductor(std::shared_ptr<rank_process> process, std::shared_ptr<stores::arena> range,
                   int rank);

  picoseconds now() const noexcept override { return process_->now(); }
  std::uint64_t least_granted_bytes() const override {
    return process_->block().least_granted_bytes;
  }
  int node_of(int rank) const override { return process_->block().line(in_job(rank)).node; }
  void throw_if_failed() override { process_->throw_if_failed(); }
  bool left(int rank) const noexcept override;
  void abandon(int, std::string_view reason) noexcept override { process_->abandon(reason); }
  void timed_out(int, std::string_view report) noexcept override { process_->timed_out(report); }
  void leave(int rank) noexcept override;

  memory_id expose(int, std::span<const std::size_t> bytes_of_rank) override {
    return windows_.expose(bytes_of_rank);
  }
  void withdraw(int rank, memory_id memory) noexcept override;
  std::span<std::byte> share(memory_id memory, int rank) const override {
    return windows_.share(memory, rank);
  }
  memory_id divide(int rank, const partition& how) override;
  std::shared_ptr<conductor> join_group(int rank, memory_id divided, const partition& how) override;

  /// Only the ranks of the job have mailboxes.
  std::unique_ptr<mail> open_mail(int rank) override;

  void ask(int rank, request what) override;
  std::string describe(int rank, memory_id own, std::size_t put) override;

  void wait(int, picoseconds until) override { process_->wait(until); }
  void look(int) override { process_->look(); }
  void work(int, const kernel_cost& cost) override { process_->work(cost); }
  void drain(int) override { process_->drain(); }
  void charge_compute(int) override { process_->charge_compute(); }
  void restart_clock(int) noexcept override { process_->restart_clock(); }
  void note_call(int rank, const call_site& site) override;
  void note_look(int) noexcept override { process_->note_look(); }

 private:
  remote_conductor(std::shared_ptr<rank_process> process, std::shared_ptr<stores::arena> range,
                   int rank, std::size_t windows);

  std::byte* message_memory(int rank, unsigned parity, std::size_t bytes) override;

  int in_job(int rank) const { return block_.members()[static_cast<std::size_t>(rank)].rank; }
  /// Returns where the range begins in the segment: 0 for all ranks.
  std::size_t team() const noexcept { return process_->offset_of(range_->base()); }

  std::shared_ptr<rank_process> process_;
  std::shared_ptr<stores::arena> range_;
  team_block& block_;
  stores::exposed_blocks windows_;
  std::array<std::size_t, 2> reserved_{};  ///< bytes for messages of even and odd rounds
  std::optional<memory_id> mailboxes_;     ///< exposed once, however often the mail is opened
};

}  // namespace onehop::virtual_machine
