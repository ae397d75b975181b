#pragma once
/// A traffic_run measures a network with random traffic, alone or beside jobs.

#include "netsim/workload/background.hpp"

namespace onehop::netsim {

class traffic_run {
 public:
  /// Throws usage_error for an empty window, and for the same reasons as traffic_job and
  /// background_run.
  traffic_run(const machine_description& machine, const traffic& what,
              queue_kind how = queue_kind::ladder, const background& beside = {});

  /// Runs once, like background_run::run_with.
  traffic_times run();
  [[nodiscard]] network& net() noexcept { return dispatcher_.net(); }
  /// Returns the times of each job of the background, after the run.
  [[nodiscard]] std::vector<program_times> beside() const { return background_.times(); }

 private:
  dispatcher dispatcher_;
  traffic_job job_;
  background_run background_;
};

}  // namespace onehop::netsim
