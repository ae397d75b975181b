#pragma once
/// machine_facts describe this machine as far as onehop uses it.

#include <onehop/detail/language.hpp>

#include <cstdint>
#include <string>

namespace onehop {

struct machine_facts {
  std::string host;
  std::string cpu_model;           ///< as the kernel names it, "unknown" where it does not
  std::string isa;                 ///< widest instruction set: "avx512", "avx2", "neon" or "plain"
  int usable_cores = 1;            ///< see usable_cores()
  std::uint64_t memory_bytes = 0;  ///< the machine's, or what a control group grants of it
  std::uint64_t shm_bytes = 0;     ///< size of /dev/shm, 0 where there is none
  std::uint64_t shm_free_bytes = 0;  ///< at most `memory_bytes`
};

/// Asks the kernel for the facts, at the cost of reading some files. Never throws if a fact cannot
/// be found out.
machine_facts inspect_machine();

/// Returns the number of cores on which this process may run: those of its affinity mask, or fewer
/// if the CPU quota of a control group allows fewer. At least 1.
int usable_cores() noexcept;

}  // namespace onehop
