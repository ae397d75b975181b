#include "transport/shm/progress.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::shm {

void check_launcher(const stores::control_block& control) {
  if (has_ended(control.creator))
    throw peer_error(
        text("the launcher, process ", control.creator.number, ", has ended: start the job again"));
}

void check_processes(stores::control_block& control, int rank) {
  for (int other = 0; other < control.ranks; ++other) {
    stores::rank_record& record = control.rank(other);
    // Acquire is needed, because the process is written before the state.
    const auto state = record.state.load(std::memory_order_acquire);
    if (other == rank || state != stores::rank_record::present) continue;
    if (!has_ended(record.process)) continue;
    // The rank may have left in good order after the state was read.
    if (record.state.load(std::memory_order_acquire) == stores::rank_record::left) continue;
    const std::string why =
        text("its process ", record.process.number, " ended without leaving the job");
    control.failure.write(record.name, why);
    // Another rank may be writing a reason at this moment.
    throw peer_error(control.failure.is_written() ? control.failure.message()
                                                  : text("rank ", record.name, " failed: ", why));
  }
}

void die_with_parent(const stores::control_block& control) {
  if (getpid() == control.creator.number) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have ended before the request took effect.
  check_launcher(control);
}

}  // namespace onehop::shm
