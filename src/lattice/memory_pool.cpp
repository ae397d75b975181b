#include "lattice/memory_pool.hpp"

#include <new>

namespace onehop {

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
    // Memory for which the list has no room goes back to the system.
  }
}

}  // namespace onehop
