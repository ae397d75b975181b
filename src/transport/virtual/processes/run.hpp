#pragma once
/// This is the conductor of a virtual machine whose ranks are processes.

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "transport/shm/segment.hpp"
#include "transport/virtual/processes/mailbox.hpp"
#include "transport/virtual/processes/shared_block.hpp"
#include "transport/virtual/team.hpp"

namespace onehop::virtual_machine {

/// A process_conductor owns the shared memory of the job, which ranks join as they join the segment
/// of a job in real time.
class process_conductor {
 public:
  /// The constructor throws usage_error for a machine that cannot be, has no such protocols or too
  /// few nodes, resource_error when there is no shared memory.
  process_conductor(int ranks, machine on, const computing& how);
  ~process_conductor();
  process_conductor(const process_conductor&) = delete;
  process_conductor& operator=(const process_conductor&) = delete;

  /// Returns the descriptor of the segment, for the ranks to inherit.
  int segment() const noexcept { return segment_; }
  /// Serves the ranks until all of them have left or ended or the job has failed.
  void run();

  /// Notes that the rank's process has ended, in good order or not. This and the following calls
  /// may be made by any thread at any time.
  void ended(int rank) noexcept;
  /// Ends the job, of which this rank's failure is the reason; the first reason stays.
  void fail(int rank, std::string_view reason) noexcept;
  /// Notes that a rank has ended because its wait reached its deadline, and the job with it: the
  /// others have until their deadlines to say whom they wait for, and do not go on then either.
  void stall() noexcept;
  /// Returns what a rank's last wait was for when it reached its deadline; empty where it did not.
  std::string waited(int rank) const;
  /// Returns who waits for whom, by all ranks whose last wait reached its deadline; empty where
  /// there is none.
  std::string deadlock() const;
  /// Lets run return soon, for a job that has failed.
  void stop() noexcept;

  /// Returns the job once run has returned.
  const job& owned() const noexcept { return job_; }

 private:
  stores::control_block& control() const noexcept { return mapping_->control(); }
  rank_line& line(int rank) const noexcept { return block_->line(rank); }
  bool over() const noexcept;
  void fail_if_job_has();
  void serve(int rank);
  bool await_end_of_turn(int rank);
  void carry_out(int rank);
  void carry_out(const request& what);
  /// All ranks, or the group whose range begins there; made when its first rank asks for something.
  team& team_at(std::uint64_t range);
  void leave_team(const request& what);
  /// Brings the rank what has come for it.
  void bring_packets(int rank);
  /// More has come for the rank, which has taken all that was brought.
  bool has_more_packets(int rank) const;
  /// True where the turn goes on.
  bool end_turn(int rank, bool has_news);
  bool pause(int rank, picoseconds length);
  void describe(int rank);
  void note_wait(int rank);
  void retire(int rank);

  int segment_;
  std::unique_ptr<shm::segment_mapping> mapping_;
  conductor_block* block_;
  job job_;
  packet_dispatcher packets_{job_};
  std::vector<mailbox*> mailboxes_;  ///< null for a rank that has opened no mail
  std::map<std::uint64_t, std::unique_ptr<team>> teams_;  ///< by where their ranges begin
  /// Groups that are gone while messages of them may be under way.
  std::vector<std::unique_ptr<team>> retired_;
  std::vector<std::atomic<bool>> gone_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::vector<std::string> waited_;
  std::atomic<bool> stopped_ = false, has_stalled_ = false;
};

}  // namespace onehop::virtual_machine
