#include "lattice/aligned_memory.hpp"

#include <sys/mman.h>
#include <cstdlib>
#include <memory>
#include <new>

namespace onehop {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20U;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Maps whole huge pages with their alignment; the mapping is one page larger, and the rest is
/// unmapped.
std::byte* map_huge(std::size_t bytes) {
  void* mapped =
      mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::byte*>(mapped);
  const std::size_t before = rounded_up(reinterpret_cast<std::size_t>(begin), huge_page) -
                             reinterpret_cast<std::size_t>(begin);
  if (before > 0) munmap(begin, before);
  munmap(begin + before + bytes, huge_page - before);
  // This is only advice: without huge pages the memory works as well, only slower.
  madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}

}  // namespace

// Takes the smallest memory that is large enough, so that there are never more pieces than were in
// use at once.
aligned_memory memory_pool::take(std::size_t bytes) {
  auto best = kept_.end();
  for (auto memory = kept_.begin(); memory != kept_.end(); ++memory) {
    if (memory->size() < bytes) continue;
    if (best == kept_.end() || memory->size() < best->size()) best = memory;
  }
  if (best == kept_.end()) return aligned_memory(bytes);
  aligned_memory taken = std::move(*best);
  kept_.erase(best);
  return taken;
}

void memory_pool::give_back(aligned_memory memory) noexcept {
  try {
    kept_.push_back(std::move(memory));
  } catch (const std::bad_alloc&) {
    // Memory that does not fit in the list goes back to the system.
  }
}

void aligned_memory::release::operator()(std::byte*) const noexcept {
  if (mapped == 0) {
    std::free(whole);
  } else {
    munmap(whole, mapped);
  }
}

aligned_memory::owner aligned_memory::allocate(std::size_t bytes) {
  if (bytes >= huge_page) {
    const std::size_t mapped = rounded_up(bytes, huge_page);
    std::byte* const memory = map_huge(mapped);
    return {memory, {memory, mapped}};
  }
  // calloc does not write to memory that comes fresh from the system.
  std::size_t space = bytes + alignment;
  void* const whole = std::calloc(1, space);
  if (whole == nullptr) throw std::bad_alloc();
  void* aligned = whole;
  std::align(alignment, bytes, aligned, space);
  return {static_cast<std::byte*>(aligned), {whole, 0}};
}

aligned_memory::aligned_memory(std::size_t bytes) : size_(bytes), memory_(allocate(bytes)) {}

}  // namespace onehop
