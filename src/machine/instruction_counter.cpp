#include "machine/instruction_counter.hpp"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <onehop/error.hpp>

namespace onehop {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw resource_error("instructions cannot be counted on this machine: " + why +
                       "; use --compute recorded or measured");
}

int open_counter() {
  perf_event_attr what{};
  what.size = sizeof what;
  what.type = PERF_TYPE_HARDWARE;
  what.config = PERF_COUNT_HW_INSTRUCTIONS;
  what.exclude_kernel = 1;
  what.exclude_hv = 1;
  // A pinned counter is not multiplexed with other counters, which would make it an estimate.
  what.pinned = 1;
  const long opened = syscall(SYS_perf_event_open, &what, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (opened < 0) refuse(std::string("perf_event_open: ") + std::strerror(errno));
  return static_cast<int>(opened);
}

}  // namespace

instruction_counter::instruction_counter() : file_(open_counter()) {
  constexpr int steps = 1000;
  [[maybe_unused]] volatile int last = 0;
  for (int step = 0; step < steps; ++step) last = step;
  // Some virtual machines offer a counter that never advances.
  if (count() >= steps) return;
  close(file_);
  refuse("perf_event_open offers a counter that does not count");
}

instruction_counter::~instruction_counter() { close(file_); }

std::int64_t instruction_counter::count() noexcept {
  std::int64_t counted = 0;
  // Reading a pinned counter that has lost its hardware counter returns end of file.
  if (read(file_, &counted, sizeof counted) == sizeof counted)
    last_ = counted;
  else
    is_lost_ = true;
  return last_;
}

void instruction_counter::require_counting() const {
  if (is_lost_) refuse("another program has taken the processor's counter meanwhile");
}

std::string instruction_counter_problem() {
  try {
    const instruction_counter tried;
  } catch (const resource_error& refused) {
    return refused.what();
  }
  return {};
}

}  // namespace onehop
