#include "machine/core_cache.hpp"

#include <fstream>

namespace onehop {

std::size_t core_cache_bytes() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index2/size");
  std::size_t size = 0;
  char unit = 0;
  if (!(file >> size >> unit) || unit != 'K') return std::size_t{1} << 20U;
  return size << 10U;
}

}  // namespace onehop
