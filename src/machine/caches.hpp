#pragma once
/// These are the caches of this machine's cores, as the kernel states them for the first core.

#include <cstddef>

namespace onehop {

/// Returns the bytes of the second-level cache, which each core has to itself; 1 MiB where the
/// kernel does not say.
std::size_t core_cache_bytes();

}  // namespace onehop
