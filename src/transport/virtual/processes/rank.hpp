#pragma once
/// A remote_conductor is the conductor as a rank sees it that is a process of its own.

#include <array>
#include <memory>
#include <optional>

#include "machine/instruction_counter.hpp"
#include "transport/stores/arena.hpp"
#include "transport/stores/region.hpp"
#include "transport/virtual/conductor.hpp"
#include "transport/virtual/processes/call_times.hpp"
#include "transport/virtual/processes/shared_block.hpp"

namespace onehop::virtual_machine {

class remote_conductor final : public conductor {
 public:
  /// The constructor takes the place of `rank` in a segment that has a conductor, and waits for its
  /// first turn. Throws usage_error when the place is taken, peer_error when the job has failed.
  remote_conductor(std::shared_ptr<stores::arena> memory, int rank);

  picoseconds now() const noexcept override { return block_.now + uncharged(); }
  std::uint64_t least_granted_bytes() const override { return block_.least_granted_bytes; }
  int node_of(int rank) const override { return block_.line(rank).node; }
  void throw_if_failed() override;
  bool left(int rank) const noexcept override;
  void abandon(int rank, std::string_view reason) noexcept override;
  void timed_out(int rank, std::string_view report) noexcept override;
  void leave(int rank) noexcept override;

  memory_id expose(int rank, std::span<const std::size_t> bytes_of_rank) override;
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

  void wait(int rank, picoseconds until) override;
  void look(int rank) override;
  void work(int rank, const kernel_cost& cost) override;
  void drain(int rank) override;
  void charge_compute(int rank) override;
  void restart_clock(int rank) noexcept override;
  void note_call(int rank, const call_site& site) override;
  void note_look(int rank) noexcept override;

  /// Groups of this rank call this and what follows: it adds a request for the end of the turn.
  void ask(const request& what);
  /// Has the conductor carry out all requests, then goes on with the turn.
  void complete_requests() noexcept { end_turn(turn_end::go_on); }
  std::string describe(const request& what);
  bool is_silent() const noexcept { return block_.under_way == 0 && line_.request_count == 0; }
  std::size_t offset_of(const std::byte* at) const noexcept {
    return static_cast<std::size_t>(at - arena_->base());
  }

 private:
  std::byte* message_of(int rank, unsigned parity) override;
  std::byte* message_memory(int rank, unsigned parity, std::size_t bytes) override;
  void enter_round(int rank) override;

  /// Returns what the rank has computed since its time was charged, and 0 where the time of this
  /// machine is not charged.
  picoseconds uncharged() const noexcept;
  bool charges() const noexcept {
    return block_.compute == compute_mode::measured || counter_.has_value();
  }
  /// Returns the time that the rank's thread has computed for, by its clock or its instructions.
  picoseconds computed() const noexcept;
  /// Computing counts no more until restart_clock. Shorter times than `least` are none that a
  /// recording has.
  void stop_clock(picoseconds least) noexcept;
  /// Passes the turn on; comes back with the next, or when the job has failed.
  void end_turn(turn_end how) noexcept;
  void await_turn() noexcept;
  stores::control_block& control() const noexcept;

  std::shared_ptr<stores::arena> arena_;
  conductor_block& block_;
  rank_line& line_;
  stores::exposed_blocks windows_;
  std::array<std::size_t, 2> reserved_{};  ///< bytes reserved for messages of even and odd rounds
  picoseconds since_ = 0;                  ///< what computed() returned when computing began to
                                           ///< count
  bool has_worked_ = false;                ///< since it has waited for its GPU
  picoseconds owed_ = 0;                   ///< time computed and not charged yet
  picoseconds unnoted_ = 0;                ///< time computed since the last call site
  mutable std::optional<instruction_counter> counter_;
  std::optional<call_times> calls_;
};

}  // namespace onehop::virtual_machine
