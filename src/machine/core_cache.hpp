#pragma once
/// The cache that a core has to itself.

#include <cstddef>

namespace onehop {

/// Bytes of the second level, as the kernel states them of the first core; 1 MiB where it does not.
std::size_t core_cache_bytes();

}  // namespace onehop
