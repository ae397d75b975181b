#pragma once
/// A traffic_run measures a network by random traffic, by itself or beside jobs.

#include "netsim/workload/company.hpp"

namespace onehop::netsim {

class traffic_run {
 public:
  /// Throws usage_error for a window of no time, and as traffic_job and company_run.
  traffic_run(const machine_description& machine, const traffic& what,
              queue_kind how = queue_kind::ladder, const company& beside = {});

  /// Runs once, as company_run::run_with.
  traffic_times run();
  [[nodiscard]] network& net() noexcept { return dispatcher_.net(); }
  /// Returns the times of each job of the company, after the run.
  [[nodiscard]] std::vector<program_times> beside() const { return company_.times(); }

 private:
  dispatcher dispatcher_;
  traffic_job job_;
  company_run company_;
};

}  // namespace onehop::netsim
