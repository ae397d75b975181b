#include "machine/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>

namespace onehop::cores {
namespace {

// Machines with more than CPU_SETSIZE processors need a longer mask.
using core_mask = std::array<cpu_set_t, 16>;
constexpr int most_cores = 16 * CPU_SETSIZE;

}  // namespace

std::vector<int> allowed(pid_t thread) {
  core_mask mask{};
  std::vector<int> found;
  if (sched_getaffinity(thread, sizeof mask, mask.data()) != 0) return found;
  for (int core = 0; core < most_cores; ++core)
    if (CPU_ISSET_S(core, sizeof mask, mask.data())) found.push_back(core);
  return found;
}

bool allow(pid_t thread, std::span<const int> cores) {
  core_mask mask{};
  for (const int core : cores) CPU_SET_S(core, sizeof mask, mask.data());
  return sched_setaffinity(thread, sizeof mask, mask.data()) == 0;
}

std::vector<int> of_process() { return allowed(getpid()); }

}  // namespace onehop::cores
