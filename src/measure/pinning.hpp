#pragma once
/// Pinned threads stay on one core.

#include <vector>

namespace onehop::measure {

/// Returns the cores that the calling thread may run on, ascending.
std::vector<int> allowed_cores();

/// Keeps the calling thread, and threads it starts later, on `core`. Throws resource_error if the
/// kernel refuses.
void pin_to_core(int core);

/// Restores the cores that the thread was allowed before pin_to_core.
void allow_cores(const std::vector<int>& cores);

}  // namespace onehop::measure
