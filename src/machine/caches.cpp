#include "machine/caches.hpp"

#include <algorithm>
#include <bit>
#include <fstream>
#include <string>

namespace onehop {
namespace {

const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index";

/// Returns 0 where the kernel does not state the size.
std::size_t cache_bytes(int index) {
  std::ifstream file(folder + std::to_string(index) + "/size");
  std::size_t size = 0;
  char unit = 0;
  if (!(file >> size >> unit) || unit != 'K') return 0;
  return size << 10U;
}

/// Returns how many cores the cache serves; the kernel writes them as bits, in hexadecimal digits.
std::size_t cores_of_cache(int index) {
  std::ifstream file(folder + std::to_string(index) + "/shared_cpu_map");
  std::size_t cores = 0;
  for (char digit = 0; file >> digit;) {
    if (digit == ',') continue;
    cores += static_cast<std::size_t>(
        std::popcount(static_cast<unsigned>(std::stoi(std::string(1, digit), nullptr, 16))));
  }
  return cores;
}

}  // namespace

std::size_t core_cache_bytes() {
  const std::size_t stated = cache_bytes(2);
  return stated == 0 ? std::size_t{1} << 20U : stated;
}

std::size_t shared_cache_bytes(std::size_t busy_cores) {
  const std::size_t sharing = std::min(cores_of_cache(3), busy_cores);
  return sharing == 0 ? 0 : cache_bytes(3) / sharing;
}

}  // namespace onehop
