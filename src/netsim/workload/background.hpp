#pragma once
/// Other jobs, on nodes of their own, and random traffic use the machine during a measurement.

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "netsim/workload/program.hpp"
#include "netsim/workload/traffic_job.hpp"

namespace onehop::netsim {

/// A job is a program and the nodes reserved for it.
struct job {
  memory sources = memory::host, windows = memory::host;
  std::string variant = "direct";
  program what;  ///< its iteration count is ignored: it runs until the measured job ends
  std::vector<std::uint32_t> places;  ///< node of each rank
};

/// A background runs at the same time as a measured job. Its traffic goes on without a window.
struct background {
  std::vector<job> jobs;
  std::vector<traffic> traffics;
};

/// A background_run adds a background to the network of a measured job, and runs both.
class background_run {
 public:
  /// Throws usage_error for a job of fewer than two ranks, which would take no time, and for the
  /// same reasons as program_job and traffic_job.
  background_run(const machine_description& on, dispatcher& messages, const background& who);

  /// Starts the background and the measured job; the job calls the function passed to `begin` when
  /// it ends. The background's jobs then end with their current iteration, and its traffic ends.
  /// Returns when no event is left, and checks conservation. If there is a background, the accounts
  /// are those at the time when the measured job ended, otherwise those at the end.
  machine_accounts run_with(const std::function<void(std::function<void()>)>& begin);
  /// Returns the times of each job, in the order of the background; valid when no event is left.
  [[nodiscard]] std::vector<program_times> times() const;

 private:
  void stop();

  network& network_;
  std::deque<program_job> jobs_;
  std::deque<traffic_job> traffics_;
};

}  // namespace onehop::netsim
