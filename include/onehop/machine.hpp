#pragma once
/// What this machine has, as far as onehop cares.

#include <cstdint>
#include <string>

namespace onehop {

struct machine_facts {
  std::string host;
  std::string cpu_model;           ///< as the kernel names it, "unknown" where it does not
  std::string isa;                 ///< widest of "avx512", "avx2", "neon", "plain"
  int usable_cores = 1;            ///< see usable_cores()
  std::uint64_t memory_bytes = 0;  ///< physical
  std::uint64_t shm_bytes = 0;     ///< size of /dev/shm, 0 where there is none
  std::uint64_t shm_free_bytes = 0;
};

/// Asks the kernel; costs some file reads. Never throws for a fact that cannot be had.
machine_facts inspect_machine();

/// Cores that this process may run on: its affinity mask, less where a control group's quota
/// grants fewer. At least 1.
int usable_cores() noexcept;

}  // namespace onehop
