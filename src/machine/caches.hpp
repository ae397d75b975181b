#pragma once
/// This file reports the caches of this machine's cores, as the kernel describes them for the first
/// core.

#include <cstddef>

namespace onehop {

/// Returns the bytes of each core's own second-level cache; 1 MiB if the kernel does not say.
std::size_t core_cache_bytes();

}  // namespace onehop
