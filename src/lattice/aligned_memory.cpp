#include "lattice/aligned_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace onehop {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20U;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Whole huge pages, aligned to one; the rest of a mapping one page larger is given back.
std::byte* map_huge(std::size_t bytes) {
  void* mapped =
      mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::byte*>(mapped);
  const std::size_t before = rounded_up(reinterpret_cast<std::size_t>(begin), huge_page) -
                             reinterpret_cast<std::size_t>(begin);
  if (before > 0) munmap(begin, before);
  munmap(begin + before + bytes, huge_page - before);
  // Only advice: without huge pages the memory is as good, but slower.
  madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}

}  // namespace

void aligned_memory::release::operator()(std::byte* p) const noexcept {
  if (mapped == 0) {
    std::free(p);
  } else {
    munmap(p, mapped);
  }
}

aligned_memory::owner aligned_memory::allocate(std::size_t bytes) {
  if (bytes >= huge_page) {
    const std::size_t mapped = rounded_up(bytes, huge_page);
    return {map_huge(mapped), {mapped}};
  }
  const std::size_t rounded = std::max(alignment, rounded_up(bytes, alignment));
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, rounded);
  return {static_cast<std::byte*>(memory), {0}};
}

aligned_memory::aligned_memory(std::size_t bytes) : size_(bytes), memory_(allocate(bytes)) {}

}  // namespace onehop
