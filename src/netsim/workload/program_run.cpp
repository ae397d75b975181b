#include "netsim/workload/program_run.hpp"

#include <utility>

namespace onehop::netsim {

program_run::program_run(const machine_description& on, const rank_memory& where, program what,
                         queue_kind how, const background& beside)
    : dispatcher_(on, how),
      job_(on, dispatcher_, where, std::move(what), on.places),
      background_(on, dispatcher_, beside) {}

program_times program_run::run() {
  auto accounts = background_.run_with(
      [&](std::function<void()> when_through) { job_.begin(std::move(when_through)); });
  program_times times = job_.times();
  times.network = std::move(accounts);
  return times;
}

}  // namespace onehop::netsim
