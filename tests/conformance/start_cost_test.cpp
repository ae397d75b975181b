#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <atomic>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <onehop/collectives.hpp>

#include "support/exchange.hpp"

namespace {
std::atomic<long> allocations = 0;
}

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

using namespace onehop;
using test::expect;
using test::job;
using test::ring;

namespace {

/// These are all ways in which lines travel, in the words of ONEHOP_CHANNELS.
const std::vector<std::string> channels{"plain", "prefetch", "demote", "streaming"};

// There is at most one rank per core: a wait that has to yield makes system calls by design.
const std::vector<job> jobs{{job::self, 1}, {job::threads, 2}, {job::processes, 2}};

void exchange(ring& around, int times) {
  for (int n = 0; n < times; ++n) {
    if (n % 2 == 0) {
      around.chain.start();
    } else {
      around.chain.start_partial();
      around.chain.ready(around.to_below);
      around.chain.ready(around.to_above);
    }
    while (!around.chain.test()) {
    }
  }
}

}  // namespace

BOOST_DATA_TEST_CASE(start_and_test_allocate_nothing, jobs* channels, where, channel) {
  where.run([&](context ctx) {
    set_channels(ctx, channel);
    ring around(ctx, 4096, true);
    exchange(around, 2);  // the first partial start makes room for its marks
    barrier(ctx);
    const long before = allocations;
    exchange(around, 50);
    const long after = allocations;
    barrier(ctx);
    expect(before == after, std::to_string(after - before) + " allocations");
  });
}

BOOST_AUTO_TEST_CASE(wait_allocates_nothing_even_when_it_waits) {
  run_on_threads(4, [](context ctx) {
    ring around(ctx, 4096, false);
    barrier(ctx);
    const long before = allocations;
    for (int n = 0; n < 50; ++n) {
      around.chain.start();
      around.chain.wait();
    }
    const long after = allocations;
    barrier(ctx);
    expect(before == after, std::to_string(after - before) + " allocations");
  });
}

// Sanitizers make system calls of their own, from threads of their own.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

namespace {

/// From here on any system call but exit kills the process. It is a filter, since strict mode also
/// takes away the processor's clock, by which ranks wait with their first look.
void leave_kernel() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog program{4, rules};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) std::abort();
}

/// Exchanges without the kernel, as one rank.
void exchange_without_kernel(const context& ctx) {
  std::vector<ring> rings;
  for (const std::string& channel : channels) {
    set_channels(ctx, channel);
    exchange(rings.emplace_back(ctx, 4096, true), 3);
  }
  barrier(ctx);
  leave_kernel();
  for (ring& around : rings) exchange(around, 100);
  syscall(SYS_exit, 0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(start_and_test_make_no_system_call_on_self) {
  test::child_process child([] { exchange_without_kernel(join("self")); });
  const test::rank_end end = child.wait();
  BOOST_TEST(end.good(), "signal " << end.signal << " " << end.message);
}

BOOST_AUTO_TEST_CASE(start_and_test_make_no_system_call_on_shm) {
  for (const test::rank_end& end : test::run_in_processes(2, exchange_without_kernel))
    BOOST_TEST(end.good(), "signal " << end.signal << " " << end.message);
}

#endif
