#include <onehop/machine.hpp>

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <thread>

#include "machine/control_group.hpp"
#include "machine/cores.hpp"

namespace onehop {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const bool named = line.starts_with("model name") || line.starts_with("CPU part");
    const auto colon = line.find(": ");
    if (named && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string widest_isa() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return "avx512";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
#elif defined(__aarch64__)
  return "neon";
#endif
  return "plain";
}

}  // namespace

// Threads that share a core have the whole process's cores in mind all the same.
int usable_cores() noexcept {
  std::size_t cores = cores::of_process().size();
  if (cores == 0) cores = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<int>(std::min<std::uint64_t>(control_group().cores(), cores));
}

machine_facts inspect_machine() {
  machine_facts facts;
  std::array<char, 256> host{};
  facts.host = gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "unknown";
  facts.cpu_model = cpu_model();
  facts.isa = widest_isa();
  facts.usable_cores = usable_cores();
  facts.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  facts.memory_bytes = std::min(facts.memory_bytes, control_group().memory_bytes());
  struct statvfs shm {};
  if (statvfs("/dev/shm", &shm) == 0) {
    facts.shm_bytes = std::uint64_t{shm.f_blocks} * shm.f_frsize;
    // Shared memory also counts against the group's limit.
    facts.shm_free_bytes = std::min(std::uint64_t{shm.f_bavail} * shm.f_frsize, facts.memory_bytes);
  }
  return facts;
}

}  // namespace onehop
