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

std::vector<std::string> warnings(const surroundings& room) {
  std::vector<std::string> lines;
  if (room.ranks > room.cores)
    lines.push_back(text(room.ranks, " ranks share ", room.cores,
                         " cores: times contain the waits for a turn"));
  if (!room.pinned)
    lines.push_back("ranks are not pinned to cores: they may move while they are timed");
  if (room.load > 0.5)
    lines.push_back(text("the load average is ", room.load,
                         ": other programs take time and caches; wait for a quiet machine"));
  if (!room.governor.empty() && room.governor != "performance")
    lines.push_back(text("the clock governor is ", room.governor,
                         ": the clock rate may change; performance keeps it"));
  if (!room.optimized) lines.push_back("compiled without optimisation: build with Release");
  if (room.sanitized) lines.push_back("compiled with a sanitizer: times mean nothing");
  return lines;
}

}  // namespace onehop::measure
