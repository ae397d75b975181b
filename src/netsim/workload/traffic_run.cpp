#include "netsim/workload/traffic_run.hpp"

#include <onehop/error.hpp>
#include <utility>

namespace onehop::netsim {

namespace {

const traffic& checked(const traffic& what) {
  if (what.window < 1) throw usage_error("traffic is measured in a window of some time");
  return what;
}

}  // namespace

traffic_run::traffic_run(const machine_description& machine, const traffic& what, queue_kind how,
                         const background& beside)
    : dispatcher_(machine, how),
      job_(machine, dispatcher_, checked(what)),
      background_(machine, dispatcher_, beside) {}

traffic_times traffic_run::run() {
  auto accounts = background_.run_with(
      [&](std::function<void()> when_over) { job_.begin(std::move(when_over)); });
  traffic_times found = job_.times();
  found.network = std::move(accounts);
  return found;
}

}  // namespace onehop::netsim
