#include "netsim/workload/background.hpp"

#include <limits>
#include <onehop/error.hpp>

namespace onehop::netsim {

background_run::background_run(const machine_description& on, dispatcher& messages,
                               const background& who)
    : network_(messages.net()) {
  for (const job& each : who.jobs) {
    if (each.places.size() < 2)
      throw usage_error("a job beside another needs at least two nodes, or it sends nothing");
    program endless = each.what;
    endless.iterations = std::numeric_limits<std::uint32_t>::max();
    jobs_.emplace_back(on, messages, rank_memory{each.sources, each.windows, each.variant},
                       std::move(endless), each.places);
  }
  for (traffic each : who.traffics) {
    each.window = 0;
    traffics_.emplace_back(on, messages, each);
  }
}

machine_accounts background_run::run_with(const std::function<void(std::function<void()>)>& begin) {
  const bool is_alone = jobs_.empty() && traffics_.empty();
  machine_accounts accounts;
  for (program_job& each : jobs_) each.begin([] {});
  for (traffic_job& each : traffics_) each.begin();
  begin([&] {
    if (!is_alone) accounts = network_.accounts();
    stop();
  });
  network_.run();
  return is_alone ? network_.last_accounts() : accounts;
}

void background_run::stop() {
  for (program_job& each : jobs_) each.stop();
  for (traffic_job& each : traffics_) each.stop();
}

std::vector<program_times> background_run::times() const {
  std::vector<program_times> all;
  for (const program_job& each : jobs_) all.push_back(each.times());
  return all;
}

}  // namespace onehop::netsim
