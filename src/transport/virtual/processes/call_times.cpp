#include "transport/virtual/processes/call_times.hpp"

#include <cstdio>
#include <onehop/error.hpp>

#include "base/environment.hpp"
#include "base/text.hpp"

namespace onehop::virtual_machine {

call_times::call_times(const conductor_block& block, int rank, int ranks) : rank_(rank) {
  const environment variables = environment::read();
  if (block.compute == compute_mode::recorded && !computing_.read(variables.computing, rank))
    throw usage_error(text("cannot read what rank ", rank, " computes from the folder '",
                           variables.computing,
                           "' of ONEHOP_COMPUTING: start the ranks with onehop run"));
  if (block.recorded_run == 0) return;
  char name[20];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(block.recorded_run));
  file_.open(variables.recording, name, rank, ranks, {});
}

call_times::known_site& call_times::known(const call_site& site) {
  const auto [found, fresh] = sites_.try_emplace(site, known_site{-1, -1});
  if (fresh) {
    const std::string name = name_of(site);
    found->second = {file_.site(name), computing_.number_of(name)};
  }
  return found->second;
}

picoseconds call_times::note(const call_site& site, picoseconds computed) {
  const known_site& here = known(site);
  file_.write(text("[\"call\",", here.written, ',', computed / 1000, "]\n"));
  if (computing_.empty()) return 0;
  const picoseconds recorded = computing_.take_before(here.recorded) * 1000;
  computing_.note(here.recorded);
  return recorded;
}

void call_times::end() {
  computing_.tell_unknown(rank_);
  file_.end("{}");
}

}  // namespace onehop::virtual_machine
