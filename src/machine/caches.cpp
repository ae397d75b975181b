#include "machine/caches.hpp"

#include <fstream>

namespace onehop {

std::size_t core_cache_bytes() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index2/size");
  std::size_t size = 0;
  char unit = 0;
  const bool stated = file >> size >> unit && unit == 'K';
  return stated ? size << 10U : std::size_t{1} << 20U;
}

}  // namespace onehop
