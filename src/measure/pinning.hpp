#pragma once
/// Pinned threads stay on a core.

#include <vector>

namespace onehop::measure {

/// Returns the cores that the calling thread may run on, ascending.
std::vector<int> allowed_cores();

/// Keeps the calling thread, and threads it starts from now on, on `core`. Throws resource_error
/// when the kernel refuses.
void pin_to_core(int core);

/// Gives the thread back the cores that it had before pin_to_core.
void allow_cores(const std::vector<int>& cores);

}  // namespace onehop::measure
