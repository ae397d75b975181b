#pragma once
/// The caches of this machine's cores, as the kernel states them of the first one.

#include <cstddef>

namespace onehop {

/// Bytes of the second level, which a core has to itself; 1 MiB where the kernel does not say.
std::size_t core_cache_bytes();

/// Of the third level, which cores share, the bytes that fall to each of so many busy ones: to as
/// many of them as share one. 0 where the kernel states no such cache.
std::size_t shared_cache_bytes(std::size_t busy_cores);

}  // namespace onehop
