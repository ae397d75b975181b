#include "measure/pinning.hpp"

#include <sched.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::measure {
namespace {

// Machines with more than CPU_SETSIZE processors need a longer mask.
using core_mask = std::array<cpu_set_t, 16>;
constexpr int most_cores = 16 * CPU_SETSIZE;

}  // namespace

std::vector<int> allowed_cores() {
  core_mask mask{};
  if (sched_getaffinity(0, sizeof mask, mask.data()) != 0)
    throw resource_error(text("cannot read the cores of this process: ", std::strerror(errno)));
  std::vector<int> cores;
  for (int core = 0; core < most_cores; ++core)
    if (CPU_ISSET_S(core, sizeof mask, mask.data())) cores.push_back(core);
  return cores;
}

void allow_cores(const std::vector<int>& cores) {
  core_mask mask{};
  for (const int core : cores) CPU_SET_S(core, sizeof mask, mask.data());
  if (sched_setaffinity(0, sizeof mask, mask.data()) != 0)
    throw resource_error(text("cannot run on core ", cores.empty() ? -1 : cores.front(), ": ",
                              std::strerror(errno), "; measure with --pin none"));
}

void pin_to_core(int core) { allow_cores({core}); }

}  // namespace onehop::measure
