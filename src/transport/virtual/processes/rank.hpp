#pragma once
/// A rank_process is a rank of a virtual machine that is a process of its own: its turns, its time
/// and what it requests of the conductor, for the whole job and all groups that it is in.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/recorded_computing.hpp"
#include "base/recording_file.hpp"
#include "machine/instruction_counter.hpp"
#include "netsim/machine/time.hpp"
#include "transport/stores/arena.hpp"
#include "transport/virtual/call_site.hpp"
#include "transport/virtual/processes/shared_block.hpp"

namespace onehop::virtual_machine {

/// What a rank computes between two call sites is written to a recording, or taken from one.
class call_times {
 public:
  /// The folders are those of the environment. Throws usage_error where a recording that is to be
  /// computed as cannot be read.
  call_times(const conductor_block& block, int rank, int ranks);

  /// Notes a call, before which the rank has computed for `computed`; returns for how long it is to
  /// compute.
  picoseconds note(const call_site& site, picoseconds computed);
  /// Notes that the rank leaves.
  void end();

 private:
  /// A known_site has the numbers of a call site in the file, -1 before its first line, and in the
  /// recording that is computed as.
  struct known_site {
    std::int64_t written;
    int recorded;
  };
  known_site& known(const call_site& site);

  int rank_;
  recording_file file_;
  recorded_computing computing_;
  std::map<call_site, known_site> sites_;
};

class rank_process {
 public:
  /// The constructor takes the place of `rank` in a segment that has a conductor, and waits for its
  /// first turn. Throws usage_error when the place is taken, peer_error when the job has failed.
  rank_process(std::shared_ptr<stores::arena> memory, int rank);

  /// Returns the block that all ranks share with the conductor.
  const conductor_block& block() const noexcept { return block_; }
  picoseconds now() const noexcept { return block_.now + uncharged(); }
  /// Returns whether nothing is under way or requested.
  bool is_silent() const noexcept { return block_.under_way == 0 && line_.request_count == 0; }
  std::size_t offset_of(const std::byte* at) const noexcept {
    return static_cast<std::size_t>(at - arena_->base());
  }

  /// Adds a request for the end of the turn.
  void ask(const request& what);
  /// Has the conductor carry out all requests, then goes on with the turn.
  void complete_requests() noexcept { end_turn(turn_end::go_on); }
  /// Returns what the conductor says of the put of such a request.
  std::string describe(const request& what);

  // These are the calls of a conductor.
  void throw_if_failed();
  void abandon(std::string_view reason) noexcept;
  void timed_out(std::string_view report) noexcept;
  void leave() noexcept;
  void wait(picoseconds until);
  void look() { end_turn(turn_end::look); }
  void work(const kernel_cost& cost);
  void drain();
  void charge_compute();
  void restart_clock() noexcept;
  void note_call(const call_site& site);
  void note_look() noexcept;

 private:
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
  stores::control_block& control() const noexcept { return control_in(*arena_); }

  std::shared_ptr<stores::arena> arena_;
  int rank_;
  conductor_block& block_;
  rank_line& line_;
  picoseconds since_ = 0;    ///< what computed() returned when computing began to count
  bool has_worked_ = false;  ///< since it has waited for its GPU
  picoseconds owed_ = 0;     ///< time computed and not charged yet
  picoseconds unnoted_ = 0;  ///< time computed since the last call site
  mutable std::optional<instruction_counter> counter_;
  std::optional<call_times> calls_;
};

}  // namespace onehop::virtual_machine
