#pragma once
/// These are the caches of this machine's cores, as the kernel states them for the first core.

#include <cstddef>

namespace onehop {

/// Returns the bytes of the second-level cache, which each core has to itself; 1 MiB where the
/// kernel does not say.
std::size_t core_cache_bytes();

/// Returns the share of each of `busy_cores` cores in the third-level cache, which cores share; no
/// more cores than share one cache divide it. Returns 0 where the kernel states no such cache.
std::size_t shared_cache_bytes(std::size_t busy_cores);

}  // namespace onehop
