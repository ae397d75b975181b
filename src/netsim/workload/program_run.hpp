#pragma once
/// A program_run carries out a program on a machine, by itself or beside others.

#include <vector>

#include "netsim/workload/company.hpp"

namespace onehop::netsim {

class program_run {
 public:
  /// The ranks are where the machine places them; the company, which must have nodes of its own,
  /// begins and ends with the program. Throws usage_error as program_job and company_run.
  program_run(const machine_description& on, const rank_memory& where, program what,
              queue_kind how = queue_kind::ladder, const company& beside = {});
  /// Runs once, as company_run::run_with.
  program_times run();

  [[nodiscard]] const netsim::network& net() const noexcept { return dispatcher_.net(); }
  [[nodiscard]] netsim::network& net() noexcept { return dispatcher_.net(); }
  [[nodiscard]] std::vector<picoseconds> finished() const { return job_.finished(); }
  [[nodiscard]] std::uint64_t face_messages() const { return job_.face_messages(); }
  /// Returns the times of each job of the company, after the run.
  [[nodiscard]] std::vector<program_times> beside() const { return company_.times(); }

 private:
  dispatcher dispatcher_;
  program_job job_;
  company_run company_;
};

}  // namespace onehop::netsim
