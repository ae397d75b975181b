#include "machine/long_slice.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace onehop {
namespace {

/// These are the thread attributes in the first version of sched_setattr(2), which glibc does not
/// declare before 2.41.
struct attributes {
  std::uint32_t size = sizeof(attributes), policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t slice_ns = 0, deadline_ns = 0, period_ns = 0;
};

/// Sets the slice of the calling thread; 0 restores the default. A thread with another scheduling
/// policy than the default has no such slice.
void set_slice(std::uint64_t nanoseconds) noexcept {
  attributes mine;
  if (syscall(SYS_sched_getattr, 0, &mine, sizeof mine, 0) != 0 || mine.policy != SCHED_OTHER)
    return;
  mine.slice_ns = nanoseconds;
  syscall(SYS_sched_setattr, 0, &mine, 0);
}

}  // namespace

// This is the longest slice that the kernel allows.
long_slice::long_slice() noexcept { set_slice(100'000'000); }
long_slice::~long_slice() { set_slice(0); }

}  // namespace onehop
