#include "measure/surroundings.hpp"

#include <fstream>
#include <onehop/machine.hpp>

#include "base/text.hpp"

namespace onehop::measure {
namespace {

template <class Value>
Value first_word(const char* file, Value otherwise) {
  std::ifstream stream(file);
  Value value;
  return stream >> value ? value : otherwise;
}

constexpr bool is_optimized() {
#if defined(__OPTIMIZE__)
  return true;
#else
  return false;
#endif
}

constexpr bool is_sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

}  // namespace

surroundings inspect_surroundings(int ranks, bool pinned) {
  return {ranks,
          usable_cores(),
          pinned,
          is_optimized(),
          is_sanitized(),
          first_word("/proc/loadavg", 0.0),
          first_word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", std::string())};
}

std::vector<std::string> warnings(const surroundings& where) {
  std::vector<std::string> lines;
  if (where.ranks > where.cores)
    lines.push_back(text(where.ranks, " ranks share ", counted(where.cores, "core"),
                         ": times contain the waits for a turn"));
  if (!where.pinned)
    lines.push_back("ranks are not pinned to cores: they may move while they are timed");
  if (where.load > 0.5)
    lines.push_back(text("the load average is ", where.load,
                         ": other programs take time and caches; wait for a quiet machine"));
  if (!where.governor.empty() && where.governor != "performance")
    lines.push_back(text("the clock governor is ", where.governor,
                         ": the clock rate may change; performance keeps it"));
  if (!where.optimized) lines.push_back("compiled without optimisation: build with Release");
  if (where.sanitized) lines.push_back("compiled with a sanitizer: times mean nothing");
  return lines;
}

}  // namespace onehop::measure
