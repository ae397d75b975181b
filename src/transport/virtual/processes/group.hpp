#pragma once
/// A remote_group is the conductor as a rank of a group sees it, where ranks are processes.

#include <array>
#include <memory>
#include <vector>

#include "transport/virtual/processes/rank.hpp"

namespace onehop::virtual_machine {

/// Sets ranges aside for groups, and makes the head of the one whose first rank is `rank`;
/// collective. `in_job` has the members of its group as ranks of the job. Throws resource_error.
memory_id divide_range(stores::exposed_blocks& windows, int rank, const partition& how,
                       const std::vector<int>& in_job);

/// A remote_group uses a range of the job's segment; its rank takes turns as a rank of the whole.
class remote_group final : public conductor {
 public:
  remote_group(remote_conductor& whole, std::shared_ptr<stores::arena> range, int rank);

  picoseconds now() const noexcept override { return whole_.now(); }
  std::uint64_t least_granted_bytes() const override { return whole_.least_granted_bytes(); }
  int node_of(int rank) const override { return whole_.node_of(in_job(rank)); }
  void throw_if_failed() override { whole_.throw_if_failed(); }
  bool left(int rank) const noexcept override;
  void abandon(int rank, std::string_view reason) noexcept override;
  void timed_out(int rank, std::string_view report) noexcept override;
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

  void add_chain(int rank, memory_id own) override;
  void begin_exchange(int rank, memory_id own) override;
  void fire(int rank, memory_id own, const fired_put& what) override;
  std::string describe(int rank, memory_id own, std::size_t put) override;

  std::size_t round_bytes() const noexcept override { return block_.longest_message; }
  void wait(int rank, picoseconds until) override { whole_.wait(in_job(rank), until); }
  void look(int rank) override { whole_.look(in_job(rank)); }
  void work(int rank, const kernel_cost& cost) override { whole_.work(in_job(rank), cost); }
  void drain(int rank) override { whole_.drain(in_job(rank)); }
  void charge_compute(int rank) override { whole_.charge_compute(in_job(rank)); }
  void restart_clock(int rank) noexcept override { whole_.restart_clock(in_job(rank)); }
  void note_call(int rank, const call_site& site) override;
  void note_look(int rank) noexcept override { whole_.note_look(in_job(rank)); }

 private:
  std::byte* message_of(int rank, unsigned parity) override;
  std::byte* message_memory(int rank, unsigned parity, std::size_t bytes) override;
  void enter_round(int rank) override;

  stores::control_block& control() const noexcept { return stores::control_in(*range_); }
  int in_job(int rank) const { return block_.members()[static_cast<std::size_t>(rank)].rank; }
  /// Returns `what` as a request of this rank of this group.
  request asked(int rank, request what) const;

  remote_conductor& whole_;
  std::shared_ptr<stores::arena> range_;
  team_block& block_;
  stores::exposed_blocks windows_;
  std::array<std::size_t, 2> reserved_{};  ///< bytes for messages of even and odd rounds
};

}  // namespace onehop::virtual_machine
