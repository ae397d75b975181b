#pragma once
/// A program_run runs a program on a machine, alone or beside others.

#include <vector>

#include "netsim/workload/background.hpp"

namespace onehop::netsim {

class program_run {
 public:
  /// The machine places the ranks. The background, which must have nodes of its own, begins and
  /// ends with the program. Throws usage_error like program_job and background_run.
  program_run(const machine_description& on, const rank_memory& where, program what,
              queue_kind how = queue_kind::ladder, const background& beside = {});
  /// Runs once, like background_run::run_with.
  program_times run();

  [[nodiscard]] const netsim::network& net() const noexcept { return dispatcher_.net(); }
  [[nodiscard]] netsim::network& net() noexcept { return dispatcher_.net(); }
  [[nodiscard]] std::vector<picoseconds> finished() const { return job_.finished(); }
  [[nodiscard]] std::uint64_t face_messages() const { return job_.face_messages(); }
  /// Returns the times of each job of the background, after the run.
  [[nodiscard]] std::vector<program_times> beside() const { return background_.times(); }

 private:
  dispatcher dispatcher_;
  program_job job_;
  background_run background_;
};

}  // namespace onehop::netsim
