#pragma once
/// machine_facts say what this machine has, as far as onehop uses it.

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

/// Asks the kernel for the facts, which costs some file reads. Never throws for a fact that cannot
/// be found out.
machine_facts inspect_machine();

/// Returns the number of cores that this process may run on: its affinity mask, or fewer where a
/// control group's quota of time grants fewer. At least 1.
int usable_cores() noexcept;

}  // namespace onehop
