#pragma once
/// Others use a machine beside what is measured: jobs on nodes of their own, and traffic.

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "netsim/workload/program.hpp"
#include "netsim/workload/traffic_job.hpp"

namespace onehop::netsim {

/// A job is a program with the nodes that it has for itself.
struct job {
  memory sources = memory::host, windows = memory::host;
  std::string variant = "direct";
  program what;  ///< its iterations do not matter: they go on until the measured job is through
  std::vector<std::uint32_t> places;  ///< node of each rank
};

/// A background is what runs beside a measured job. Its traffic goes on without a window.
struct background {
  std::vector<job> jobs;
  std::vector<traffic> traffics;
};

/// A background_run lets a background work on the network of a measured job, and runs that.
class background_run {
 public:
  /// Throws usage_error for a job of fewer than two ranks, which would take no time, and as
  /// program_job and traffic_job.
  background_run(const machine_description& on, dispatcher& messages, const background& who);

  /// Lets the background and the measured job begin, which calls what `begin` is given when it is
  /// through; then the jobs of the background end with the iteration that they are in, and its
  /// traffic ends. Returns when nothing is left to do, and checks conservation. The accounts are
  /// those at the time when the measured job was through where there is a background, else those of
  /// the end.
  machine_accounts run_with(const std::function<void(std::function<void()>)>& begin);
  /// Returns the times of each job, in the order of the background, once nothing is left to do.
  [[nodiscard]] std::vector<program_times> times() const;

 private:
  void stop();

  network& network_;
  std::deque<program_job> jobs_;
  std::deque<traffic_job> traffics_;
};

}  // namespace onehop::netsim
